import type { SessionItem } from '../core/retention/inventory.ts';
import type { SessionRules } from '../core/retention/policy.ts';
import { entryCount } from '../core/sessions/session.ts';
import type { EpochMs } from '../core/time.ts';
import { agesFrom } from './ages-from.ts';
import { mostLenient } from './rules-by-source.ts';
import type { Verdict } from './verdict.ts';

/** One conversation: a session with all that continue it or that it continues. Judged as one; most have a single member. */
export interface Lineage {
  /** All members but the newest, oldest first; absent where there is only one. */
  older: SessionItem[] | undefined;
  /** The conversation counts for the source of this one, and was last active when it was. */
  newest: SessionItem;
  rules: SessionRules;
  /** When it began to age: its last activity or, where a rule closed a member, the moment of that. */
  agesFrom: EpochMs;
  entryCount: number;
  /** It is one of those that `keepLast` counts. */
  counts: boolean;
  /** Protected by `keepLast`. */
  inFloor: boolean;
  /** Older than the newest `maxSessions` of its source. */
  beyondMax: boolean;
  /** What was decided about it; until then it stays. */
  rule: Verdict;
  skipsTrash: boolean;
}

export interface Lineages {
  /** In the order of their newest member. */
  readonly lineages: readonly Lineage[];
  /** The lineage of each session, in the order in which they were given. */
  readonly lineageOf: readonly Lineage[];
}

/**
 * Joins sessions linked by `continuation`, both ways and through any number of links; missing parents and cycles are no matter.
 */
export function findLineages(oldestFirst: readonly SessionItem[], rulesFor: RulesFor): Lineages {
  const rootOf = joinContinuations(oldestFirst);
  const found = rootOf === undefined ? eachAlone(oldestFirst, rulesFor) : joined(oldestFirst, { rootOf, rulesFor });
  for (const lineage of found.lineages) lineage.agesFrom = agingStart(lineage);
  return found;
}

/** Oldest first. Not kept as a list, because most lineages have a single member and there may be 100 000 of them. */
export function membersOf({ older, newest }: Lineage): readonly SessionItem[] {
  return older === undefined ? [newest] : [...older, newest];
}

/** By the id of a session, what all sessions of its conversation have in common and no other has. */
export function conversationOf(sessions: readonly SessionItem[]): (id: string) => string {
  const rootOf = joinContinuations(sessions);
  if (rootOf === undefined) return (id) => id;
  const roots = new Map(sessions.map(({ id }, at) => [id, sessions[rootOf(at)]?.id ?? id]));
  return (id) => roots.get(id) ?? id;
}

type RulesFor = (source: string) => SessionRules;

/** Most homes have no continuations, and then there is nothing to look up. */
function eachAlone(sessions: readonly SessionItem[], rulesFor: RulesFor): Lineages {
  const lineages = sessions.map((session) => startLineage(session, rulesFor));
  return { lineages, lineageOf: lineages };
}

function joined(
  oldestFirst: readonly SessionItem[],
  { rootOf, rulesFor }: { rootOf: (at: number) => number; rulesFor: RulesFor },
): Lineages {
  const byRoot = new Map<number, Lineage>();
  const lineageOf = oldestFirst.map((session, at) => {
    const root = rootOf(at);
    const found = byRoot.get(root);
    const lineage = found === undefined ? startLineage(session, rulesFor) : join(found, session, rulesFor);
    // Set anew, so that the map ends up in the order of the newest members.
    if (found !== undefined) byRoot.delete(root);
    byRoot.set(root, lineage);
    return lineage;
  });
  return { lineages: [...byRoot.values()], lineageOf };
}

function startLineage(session: SessionItem, rulesFor: RulesFor): Lineage {
  return {
    older: undefined,
    newest: session,
    rules: rulesFor(session.source),
    agesFrom: session.lastActiveAt,
    entryCount: entriesIn(session),
    counts: false,
    inFloor: false,
    beyondMax: false,
    rule: UNDECIDED,
    skipsTrash: false,
  };
}

const UNDECIDED: Verdict = { action: 'keep', reason: 'not-expired' };

function join(lineage: Lineage, newer: SessionItem, rulesFor: RulesFor): Lineage {
  const rules = rulesFor(newer.source);
  if (rules !== lineage.rules) lineage.rules = mostLenient(rules, lineage.rules);
  (lineage.older ??= []).push(lineage.newest);
  lineage.newest = newer;
  lineage.entryCount += entriesIn(newer);
  return lineage;
}

/** One that nobody counted is never taken for one with little in it. */
function entriesIn(session: SessionItem): number {
  return session.uncounted === true ? Number.POSITIVE_INFINITY : entryCount(session);
}

function agingStart(lineage: Lineage): EpochMs {
  let start = -Infinity;
  for (const member of membersOf(lineage)) start = Math.max(start, agesFrom(member));
  return start;
}

/** Union-find over positions; undefined where no session continues another. */
function joinContinuations(sessions: readonly SessionItem[]): ((at: number) => number) | undefined {
  const continued = new Set<string>();
  for (const { childKind, parentId } of sessions) {
    if (childKind === 'continuation' && parentId !== undefined) continued.add(parentId);
  }
  if (continued.size === 0) return undefined;
  const positions = new Map<string, number>();
  sessions.forEach(({ id }, at) => continued.has(id) && positions.set(id, at));
  const above = Int32Array.from(sessions, (_, at) => at);
  const stepUp = (at: number) => above[at] ?? at;
  const rootOf = (start: number) => {
    let at = start;
    while (stepUp(at) !== at) {
      above[at] = stepUp(stepUp(at));
      at = stepUp(at);
    }
    return at;
  };
  sessions.forEach(({ parentId, childKind }, at) => {
    const parent = childKind === 'continuation' && parentId !== undefined ? positions.get(parentId) : undefined;
    if (parent !== undefined) above[rootOf(at)] = rootOf(parent);
  });
  return rootOf;
}
