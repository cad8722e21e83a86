import type { Inventory } from '../../src/core/retention/inventory.ts';
import type { Plan } from '../../src/core/retention/plan.ts';
import { planRetention } from '../../src/policy/plan-retention.ts';
import type { PlanOptions } from '../../src/policy/rule-context.ts';
import { NOW } from './clock.ts';
import { anInventory, aPolicy } from './inventories.ts';

/** What is decided about a home that holds this, under the usual policy unless another is given. */
export function planOf(given: Partial<Inventory>, options: Partial<PlanOptions> = {}): Plan {
  return planRetention(anInventory(given), { policy: aPolicy(), now: NOW, ...options });
}

/** One line for each decision, in the order of the plan. */
export function planLines({ decisions }: Plan): string {
  return decisions.map(({ item, action, reason }) => `${item.kind} ${item.id}: ${action}, ${reason}`).join('\n');
}
