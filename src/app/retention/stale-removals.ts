import { isRemoval, needsConsent, type Plan, type Removal } from '../../core/retention/plan.ts';

/**
 * The removals of a plan that a fresh plan of the same request does not hold in the same way. Whether something skips the trash
 * only matters where that is agreed to.
 */
export function staleRemovals(plan: Plan, fresh: Plan, { forGood = true } = {}): readonly Removal[] {
  const sameness = (removal: Removal): string => {
    const { item, action, fingerprint, skipsTrash } = removal;
    const early = action === 'purge' && needsConsent(removal);
    return JSON.stringify([item.kind, item.id, action, fingerprint, early, forGood && skipsTrash]);
  };
  const now = new Set(fresh.decisions.filter(isRemoval).map(sameness));
  return plan.decisions.filter(isRemoval).filter((decision) => !now.has(sameness(decision)));
}
