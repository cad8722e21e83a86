import { dirname } from 'node:path';
import { freeBytes, isTight } from '../../../platform/machine/file-system-facts.ts';
import type { Connection } from './connection.ts';
import { emptyLog } from './empty-log.ts';

/** Whether the disk of this database is nearly full. */
export function onTightDisk({ path, raw }: Connection): boolean {
  return !raw.memory && isTight(dirname(path));
}

/** What the disk of this database has left. */
export function roomFor({ path, raw }: Connection): number {
  return raw.memory ? Number.POSITIVE_INFINITY : freeBytes(dirname(path));
}

/** On a disk that is nearly full the log is emptied after every step: what a step wrote is the room for the next one. */
export function keepLogShort(db: Connection): void {
  if (!onTightDisk(db)) return;
  try {
    emptyLog(db.raw);
  } catch {
    // What was committed stays in the log. Whoever writes next finds no room, and says so.
  }
}
