import { constants } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { errorCode } from '../error-code.ts';
import { appendDurably } from './append-durably.ts';
import { readRegular } from './open-regular.ts';

/**
 * The entries of a log that `appendToLog` writes; none where there is no log. A line that a crash cut off never counted, and what a
 * link leads to is no log of ours. The path is a name in an open folder.
 */
export function readLog(path: string): readonly JsonObject[] {
  return textOf(path)
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

function textOf(path: string): string {
  try {
    return readRegular(path, constants.O_RDONLY | constants.O_NOFOLLOW).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Adds entries to a log, one line each. On the disk when it returns, all but the name of a new file. */
export function appendToLog(path: string, entries: readonly object[]): void {
  // A line that a crash cut off stays alone.
  appendDurably(path, `\n${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
}
