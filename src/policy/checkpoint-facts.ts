import { isHeld } from '../core/retention/checkpoint.ts';
import type { CheckpointItem } from '../core/retention/inventory.ts';
import type { CheckpointRules } from '../core/retention/policy.ts';
import { type EpochMs, HOUR_MS } from '../core/time.ts';
import { limitOf } from './rules-by-source.ts';

/** What the rules need to know about each checkpoint beside itself. */
export interface CheckpointFacts {
  readonly retentionMs: number | undefined;
  /** The newest of each project. Not by their ids: projects of another agent may have the same one. */
  readonly newest: ReadonlySet<CheckpointItem>;
  /** Those that have no place among the `maxSnapshots` of their project. */
  readonly surplus: ReadonlySet<CheckpointItem>;
}

/** Ranks the checkpoints of each project. What is dated in the future takes part in nothing. */
export function checkpointFacts(
  checkpoints: readonly CheckpointItem[],
  { rules, now }: { readonly rules: CheckpointRules; readonly now: EpochMs },
): CheckpointFacts {
  const newest = new Set<CheckpointItem>();
  const beyond = new Set<CheckpointItem>();
  for (const newestFirst of byProject(checkpoints.filter(({ takenAt }) => takenAt <= now))) {
    for (const first of newestFirst.slice(0, 1)) newest.add(first);
    for (const item of surplus(newestFirst, limitOf(rules.maxSnapshots))) beyond.add(item);
  }
  return { retentionMs: limitOf(rules.retentionMs), newest, surplus: beyond };
}

function byProject(checkpoints: readonly CheckpointItem[]): Iterable<CheckpointItem[]> {
  const projects = new Map<string, CheckpointItem[]>();
  const newestFirst = checkpoints.toSorted((a, b) => b.takenAt - a.takenAt || (a.id < b.id ? -1 : 1));
  for (const checkpoint of newestFirst) {
    const project = projects.get(checkpoint.projectId);
    if (project === undefined) projects.set(checkpoint.projectId, [checkpoint]);
    else project.push(checkpoint);
  }
  return projects.values();
}

/**
 * Half of the places are for the newest, the other half for the first of each hour and of each session: an agent that takes one
 * after the other cannot push out the state from before it began. What is held needs no place. Where only the oldest can go,
 * all places are for the newest.
 */
function surplus(newestFirst: readonly CheckpointItem[], places: number | undefined): readonly CheckpointItem[] {
  const free = newestFirst.filter((checkpoint) => !isHeld(checkpoint));
  if (places === undefined || free.length <= places) return [];
  if (free.some(({ chained }) => chained)) return free.slice(Math.max(1, Math.floor(places)));
  const recent = Math.ceil(places / 2);
  const firsts = firstIds(newestFirst);
  const rest = free.slice(recent);
  const inOrder = [...rest.filter(({ id }) => firsts.has(id)), ...rest.filter(({ id }) => !firsts.has(id))];
  return inOrder.slice(Math.floor(places) - recent);
}

function firstIds(newestFirst: readonly CheckpointItem[]): ReadonlySet<string> {
  const first = new Map<string, string>();
  for (const { id, takenAt, sessionId } of newestFirst) {
    first.set(`hour ${Math.floor(takenAt / HOUR_MS)}`, id);
    if (sessionId !== undefined) first.set(`session ${sessionId}`, id);
  }
  return new Set(first.values());
}
