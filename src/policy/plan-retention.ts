import type { Inventory } from '../core/inventory.ts';
import type { Plan } from '../core/plan.ts';
import { decisionsOf } from './decisions-of.ts';
import { judgeInventory } from './judge-inventory.ts';
import { planNotes } from './plan-notes.ts';
import { relievePressure } from './relieve-pressure.ts';
import { type PlanOptions, ruleContext } from './rule-context.ts';

/**
 * Decides the fate of every item. Same facts, same plan, in whatever order the scan found them: no clock, no I/O.
 * Scope comes first, then holds, keeps and expiries, and last, for the whole policy only, what must go for space.
 */
export function planRetention(inventory: Inventory, options: PlanOptions): Plan {
  const context = ruleContext(inventory, options);
  const judged = judgeInventory(inventory, context);
  const { now, request } = context;
  const shortfalls = request.kind === 'policy' ? relievePressure(judged, options.policy.disk, inventory.disk) : [];
  const decisions = decisionsOf(judged);
  return { home: inventory.home, madeAt: now, request, decisions, notes: planNotes(decisions, context), shortfalls };
}
