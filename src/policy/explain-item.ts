import type { Inventory } from '../core/retention/inventory.ts';
import type { Explanation, ItemRef } from '../core/retention/plan.ts';
import { membersOf } from './find-lineages.ts';
import { traceItem } from './item-rules.ts';
import { judgeInventory } from './judge-inventory.ts';
import { traceLineage } from './judge-lineage.ts';
import { planRetention } from './plan-retention.ts';
import { type PlanOptions, ruleContext } from './rule-context.ts';

/** Why one item meets the fate that a plan with the same options gives it; `undefined` when there is no such item. */
export function explainItem(inventory: Inventory, ref: ItemRef, options: PlanOptions): Explanation | undefined {
  const isIt = ({ kind, id }: ItemRef) => kind === ref.kind && id === ref.id;
  const decision = planRetention(inventory, options).decisions.find(({ item }) => isIt(item));
  if (decision === undefined) return undefined;
  const context = ruleContext(inventory, options);
  const { sessions, lineageOf, others } = judgeInventory(inventory, context);
  const lineage = lineageOf[sessions.findIndex(isIt)];
  const other = others.find(({ item }) => isIt(item))?.item;
  const checks =
    lineage === undefined ? (other === undefined ? [] : traceItem(other, context)) : traceLineage(lineage, context);
  const members = lineage?.older === undefined ? [] : membersOf(lineage);
  return {
    decision,
    checks: decision.reason === 'pressure' ? [...checks, { rule: 'pressure', met: true }] : checks,
    lineage: members.map(({ kind, id }) => ({ kind, id })),
  };
}
