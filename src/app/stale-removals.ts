import { isRemoval, type Plan, type Removal } from '../core/plan.ts';

/** The removals of a plan that a fresh plan of the same request does not hold in the same way. */
export function staleRemovals(plan: Plan, fresh: Plan): readonly Removal[] {
  const now = new Set(fresh.decisions.filter(isRemoval).map(sameness));
  return plan.decisions.filter(isRemoval).filter((decision) => !now.has(sameness(decision)));
}

function sameness({ item, action, fingerprint, skipsTrash }: Removal): string {
  return JSON.stringify([item.kind, item.id, action, fingerprint, skipsTrash]);
}
