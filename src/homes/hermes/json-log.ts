import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { appendDurably } from '../../platform/append-durably.ts';
import { readTextIfThere } from './read-text-if-there.ts';

/** The entries of a log that `appendToLog` writes. A line that a crash cut off never counted. */
export function readLog(path: string): readonly JsonObject[] {
  return readTextIfThere(path)
    .split('\n')
    .flatMap((line) => {
      try {
        const entry: unknown = JSON.parse(line);
        return isJsonObject(entry) ? [entry] : [];
      } catch {
        return [];
      }
    });
}

/** Adds entries to a log, one line each. On the disk when it returns, all but the name of a new file. */
export function appendToLog(path: string, entries: readonly object[]): void {
  // A line that a crash cut off stays alone.
  appendDurably(path, `\n${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
}
