import { Failure } from '../../core/failure.ts';
import { plural } from '../../core/format.ts';
import type { Inventory } from '../../core/retention/inventory.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import { narrowPlan } from '../../policy/narrow-plan.ts';

/** A plan without what a person wants to stay, and a word about how much that is. An id of which the plan removes nothing is a slip. */
export function narrowed(plan: Plan, ids: readonly string[], inventory: Pick<Inventory, 'sessions'>): Plan {
  const going = plan.decisions.filter(isRemoval);
  const known = new Set(going.map(({ item }) => item.id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new Failure('not-found', `The plan lets nothing go that is called ${unknown}.`, {
      hint: 'Give whole ids, as the plan shows them with: coppice plan --all',
    });
  }
  const narrow = narrowPlan(plan, ids, inventory);
  const left = going.length - narrow.decisions.filter(isRemoval).length;
  if (left === 0) return plan;
  const note = `${plural(left, 'item')} ${left === 1 ? 'stays' : 'stay'} because you left ${left === 1 ? 'it' : 'them'} out.`;
  return { ...narrow, notes: [...plan.notes, note] };
}
