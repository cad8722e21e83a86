import type { Inventory } from '../core/retention/inventory.ts';
import type { Plan } from '../core/retention/plan.ts';
import { decisionsOf } from './decisions-of.ts';
import { floorNotes } from './floor-notes.ts';
import { judgeInventory } from './judge-inventory.ts';
import { planNotes } from './plan-notes.ts';
import { boundTrash } from './pressure/bound-trash.ts';
import { relieveCheckpoints } from './pressure/relieve-checkpoints.ts';
import { relievePressure } from './pressure/relieve-pressure.ts';
import { checkpointRules, type PlanOptions, ruleContext } from './rule-context.ts';

/**
 * Decides the fate of every item. Same facts, same plan, in whatever order the scan found them: no clock, no I/O.
 * Scope comes first, then holds, keeps and expiries, and last, where the limits on size are asked for, what must go for space.
 */
export function planRetention(inventory: Inventory, options: PlanOptions): Plan {
  const context = ruleContext(inventory, options);
  const judged = judgeInventory(inventory, context);
  const { now, request } = context;
  if (request.kind === 'policy') boundTrash(judged, options.policy.trash.maxBytes);
  const { disk } = options.policy;
  const { maxBytes } = checkpointRules(options.policy, request);
  const bounded = request.kind === 'policy' || request.kind === 'checkpoints';
  const shortfalls = [
    ...(bounded ? relieveCheckpoints(judged, maxBytes, inventory) : []),
    ...(request.kind === 'policy' ? relievePressure(judged, disk, inventory) : []),
  ];
  const decisions = decisionsOf(judged);
  const notes = [...planNotes(decisions, context), ...floorNotes(decisions, inventory.sessions, context)];
  return { home: inventory.home, madeAt: now, request, decisions, notes, shortfalls };
}
