import type { Inventory, SessionItem } from '../core/inventory.ts';
import { type Decision, type GuardReason, type GuardVerdict, isRemoval, type Plan } from '../core/plan.ts';
import type { GuardRules, Policy } from '../core/policy.ts';
import { entryCount } from '../core/session.ts';
import { groupKey, isSlight } from './floors.ts';
import { rulesBySource } from './rules-by-source.ts';

export interface GuardOptions {
  /** What the plan was made from. */
  readonly inventory: Inventory;
  readonly policy: Policy;
  /** No unattended run has looked at this home before: whatever it would do is announced first. */
  readonly firstRun?: boolean;
  /** The plan that the policy of the last run makes of the same inventory, when the policy has changed since. */
  readonly previousPlan?: Plan;
}

/** Whether nobody needs to look at a plan before it is carried out. A plan that keeps everything always passes. */
export function guardPlan(
  plan: Plan,
  { inventory, policy, firstRun = false, previousPlan }: GuardOptions,
): GuardVerdict {
  const going = plan.decisions.filter(isRemoval);
  const reasons: GuardReason[] = [
    ...(firstRun && going.length > 0 ? [{ kind: 'first-run', count: going.length } as const] : []),
    ...tooMany(plan.decisions, policy.guard),
    ...emptiedGroups(plan, inventory, policy),
    ...(previousPlan === undefined ? [] : newlyGoing(going, previousPlan)),
  ];
  return reasons.length === 0 ? { status: 'ok' } : { status: 'refused', reasons };
}

/**
 * Sessions are measured against all sessions; then sessions, orphans and archives together, so that a database which lost its
 * rows, and makes an orphan of every file, is caught too. Trash, debris and request dumps do not count.
 */
function tooMany(decisions: readonly Decision[], { maxItems, maxPart }: GuardRules): GuardReason[] {
  const sessions = decisions.filter(({ item }) => item.kind === 'session');
  const items = decisions.filter(({ item }) => item.kind !== 'trash' && item.kind !== 'debris');
  return (
    [
      ['sessions', sessions],
      ['items', items],
    ] as const
  ).flatMap(([of, all]) => {
    const count = all.filter(({ action }) => action !== 'keep' && action !== 'drop-dumps').length;
    const limit = Math.max(numberOr0(maxItems), Math.floor(numberOr0(maxPart) * all.length));
    return count > limit ? [{ kind: 'too-many', of, count, limit } as const] : [];
  });
}

/** Groups that lose every session, unless there was nothing in them but empty and trivial ones. */
function emptiedGroups(plan: Plan, { sessions }: Inventory, policy: Policy): GuardReason[] {
  const leaving = new Set<string>();
  for (const { item, action } of plan.decisions) {
    if (item.kind === 'session' && (action === 'remove' || action === 'archive')) leaving.add(item.id);
  }
  const rulesFor = rulesBySource(policy, plan.request);
  const kept = new Set(sessions.filter(({ id }) => !leaving.has(id)).map(groupKey));
  const emptied = new Map<string, SessionItem>();
  for (const session of sessions) {
    const slight = isSlight({ entryCount: entryCount(session), rules: rulesFor(session.source) });
    if (!slight && !kept.has(groupKey(session))) emptied.set(groupKey(session), session);
  }
  return [...emptied.keys()].toSorted().flatMap((key) => {
    const session = emptied.get(key);
    if (session === undefined) return [];
    const { source, workdir } = session;
    return [{ kind: 'empties-group', source, ...(workdir !== undefined && { workdir }) } as const];
  });
}

/** Items that go now and stayed before, or that go altogether now and lost only files before. */
function newlyGoing(going: readonly Decision[], previousPlan: Plan): GuardReason[] {
  const before = new Map(previousPlan.decisions.map((decision) => [keyOf(decision), lossOf(decision)]));
  const count = going.filter((decision) => lossOf(decision) > (before.get(keyOf(decision)) ?? 0)).length;
  return count === 0 ? [] : [{ kind: 'stricter-policy', count }];
}

function keyOf({ item }: Decision): string {
  return `${item.kind}\0${item.id}`;
}

function lossOf({ action }: Decision): number {
  if (action === 'keep') return 0;
  return action === 'drop-files' || action === 'drop-dumps' ? 1 : 2;
}

function numberOr0(value: number): number {
  return value > 0 ? value : 0;
}
