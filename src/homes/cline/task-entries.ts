import type { JsonObject } from '../../core/json.ts';
import { readTime } from '../../core/read-time.ts';

/** What a list of tasks says of each. */
export type TaskEntries = readonly JsonObject[];

/** An entry that was taken out, with the ids of those beside it, the nearest first. */
interface KeptEntry {
  readonly version: 1;
  readonly entry: JsonObject;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Those beside an entry may have been taken out as well, so that there are several of them. */
const NEIGHBOURS = 8;

/** The first entry with an id, as text from which it finds back to where it was. */
export function copyEntry(entries: TaskEntries, id: string): string | undefined {
  const at = entries.findIndex((entry) => entry['id'] === id);
  const entry = entries[at];
  if (entry === undefined) return undefined;
  const kept: KeptEntry = {
    version: 1,
    entry,
    before: entries
      .slice(Math.max(0, at - NEIGHBOURS), at)
      .map(idOf)
      .toReversed(),
    after: entries.slice(at + 1, at + 1 + NEIGHBOURS).map(idOf),
  };
  return `${JSON.stringify(kept)}\n`;
}

/** Without what a copy is of; undefined where that is not in it as it was copied. */
export function withoutEntry(entries: TaskEntries, id: string, copy: string): TaskEntries | undefined {
  const same = JSON.stringify(keptIn(copy).entry);
  const at = entries.findIndex((entry) => entry['id'] === id && JSON.stringify(entry) === same);
  return at === -1 ? undefined : entries.toSpliced(at, 1);
}

/** With what a copy is of, in its place; undefined where the task is in it already. */
export function withEntry(entries: TaskEntries, id: string, copy: string): TaskEntries | undefined {
  if (entries.some((entry) => entry['id'] === id)) return undefined;
  const { entry, before, after } = keptIn(copy);
  const ids = entries.map(idOf);
  const start = before.map((each) => ids.indexOf(each)).find((at) => at !== -1) ?? -1;
  const end = after.map((each) => ids.indexOf(each, start + 1)).find((at) => at !== -1) ?? ids.length;
  return entries.toSpliced(placeBetween(entries, entry, [start + 1, end]), 0, entry);
}

/** Lists go by time, one way or the other; where neither holds the place right after the one before it will do. */
function placeBetween(entries: TaskEntries, entry: JsonObject, [start, end]: readonly [number, number]): number {
  const falls = timeOf(entries[0] ?? {}) >= timeOf(entries.at(-1) ?? {});
  const isLater = (each: JsonObject) => (falls ? timeOf(each) < timeOf(entry) : timeOf(each) > timeOf(entry));
  const found = entries.slice(start, end).findIndex(isLater);
  return found === -1 ? end : start + found;
}

function timeOf(entry: JsonObject): number {
  return readTime(entry['ts'] ?? null) ?? 0;
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' ? id : '';
}

function keptIn(copy: string): KeptEntry {
  // A copy is read by the version that wrote it or a later one; it lay in a trash that nobody else writes.
  return JSON.parse(copy) as KeptEntry;
}
