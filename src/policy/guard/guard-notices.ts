import type { Inventory } from '../../core/retention/inventory.ts';
import type { GuardMemory, Notice } from '../../core/retention/maintenance.ts';
import type { Removal } from '../../core/retention/plan.ts';
import type { Policy } from '../../core/retention/policy.ts';
import type { EpochMs } from '../../core/time.ts';
import { lossesIn, lossOf } from '../plan-losses.ts';
import { planRetention } from '../plan-retention.ts';

/** Announcements are this part of their time apart, so that only a few are under way however often passes come. */
const APART = 1 / 4;

interface Announcing {
  readonly inventory: Inventory;
  readonly policy: Policy;
  readonly memory: GuardMemory;
}

/** For how long something may wait at the most: until the next announcement, and then as long as that lasts. */
export function longestWaitMs(noticeMs: number): number {
  return noticeMs * (1 + APART);
}

/** Whether what goes was announced for long enough. Nothing need be remembered of it: the rules of then are asked again. */
export function announcedBy(
  notices: readonly Notice[],
  { inventory, at }: { readonly inventory: Inventory; readonly at: EpochMs },
): (going: Removal) => boolean {
  const due = notices
    .filter((notice) => notice.at <= at && notice.goesAt <= at)
    .map((notice) => coverOf(notice, inventory));
  return (going) => due.some((covers) => covers(going));
}

/** Announces what no announcement covers yet. Returns all that still count, and when the last of what waits may go. */
export function announce(
  waiting: Iterable<Removal>,
  { inventory, policy, memory }: Announcing,
  now: EpochMs,
): { readonly notices: readonly Notice[]; readonly until: EpochMs } {
  const { noticeMs } = policy.guard;
  // A clock that went back leaves announcements of the future behind.
  const known = (memory.notices ?? []).filter(({ at }) => at <= now);
  const pending = known.filter(({ goesAt }) => goesAt > now);
  const covers = pending.map((notice) => ({ notice, covers: coverOf(notice, inventory) }));
  let [until, uncovered] = [now, false];
  for (const one of waiting) {
    const first = covers.find((each) => each.covers(one));
    if (first === undefined) uncovered = true;
    else until = Math.max(until, first.notice.goesAt);
  }
  // What could not be taken at its date is tried again at the next.
  const kept = [...known.filter(({ goesAt }) => goesAt <= now).slice(-1), ...pending];
  if (!uncovered) return { notices: kept, until };
  const nextAt = (pending.at(-1)?.at ?? -Infinity) + noticeMs * APART;
  if (nextAt > now) return { notices: kept, until: Math.ceil(nextAt + noticeMs) };
  const goesAt = now + noticeMs;
  return { notices: [...kept, { at: now, goesAt, policy }], until: goesAt };
}

/** Whether an announcement told of as much as goes now. */
function coverOf({ at, policy }: Notice, inventory: Inventory): (going: Removal) => boolean {
  const announced = lossesIn(planRetention(inventory, { policy, now: at }));
  return (going) => announced(going) >= lossOf(going);
}
