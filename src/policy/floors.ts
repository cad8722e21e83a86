import type { SessionItem } from '../core/retention/inventory.ts';
import { useOf } from '../core/sessions/in-use.ts';
import type { EpochMs } from '../core/time.ts';
import { type Lineage, type Lineages, membersOf } from './find-lineages.ts';
import type { RuleContext } from './rule-context.ts';

/**
 * Marks the newest `keepLast` lineages of each group. A lineage counts once in each group that it has members in, by its newest
 * member there, so the newest sessions of every group are always among what is marked.
 */
export function markFloors(
  oldestFirst: readonly SessionItem[],
  { lineages, lineageOf }: Lineages,
  { now, rulesFor }: RuleContext,
): void {
  for (const lineage of lineages) lineage.counts = countsForFloor(lineage, now);
  const groups = new Map<string, Set<Lineage>>();
  for (let at = oldestFirst.length - 1; at >= 0; at -= 1) {
    const session = oldestFirst[at];
    const lineage = lineageOf[at];
    if (session === undefined || lineage === undefined || !lineage.counts) continue;
    const key = groupKey(session);
    const group = groups.get(key) ?? new Set();
    groups.set(key, group);
    const { keepLast } = rulesFor(session.source);
    if (keepLast === 'never' || group.size >= keepLast) continue;
    group.add(lineage);
    lineage.inFloor = true;
  }
}

/** What `keepLast` is about: a source and a project. */
export function groupKey({ source, workdir }: SessionItem): string {
  return `${source}\0${workdir ?? ''}`;
}

/**
 * What the floor neither protects nor counts: too little was said, nothing or so little that a rule about that applies; or the
 * conversation was started afresh, so that another has answered in its place since, and the rules let go of such.
 */
export function isOutsideFloor({ entryCount, newest, rules }: Lineage): boolean {
  const slight = entryCount === 0 || (rules.trivialMs !== undefined && entryCount <= rules.trivialMaxMessages);
  return slight || (newest.reset === true && rules.afterReset === 'remove');
}

function countsForFloor(lineage: Lineage, now: EpochMs): boolean {
  if (isOutsideFloor(lineage)) return false;
  return membersOf(lineage).every(
    (session) =>
      useOf(session) === undefined &&
      session.hold === undefined &&
      session.unreadable !== true &&
      session.lastActiveAt <= now,
  );
}
