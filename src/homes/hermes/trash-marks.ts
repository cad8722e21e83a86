import { closeSync, fsyncSync, lstatSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncDir } from '../../platform/private-files.ts';

/** Messages are being taken a part at a time, or a session is being brought back. */
export type TrashMark = 'taking' | 'returning';

/** Notes that the rows of an item are about to change, so that whoever comes after a crash knows. Durable. */
export function setMark(place: string, mark: TrashMark): void {
  const handle = openSync(join(place, mark), 'w', 0o600);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncDir(place);
}

export function hasMark(place: string, mark: TrashMark): boolean {
  return lstatSync(join(place, mark), { throwIfNoEntry: false }) !== undefined;
}

export function clearMarks(place: string): void {
  for (const mark of MARKS) rmSync(join(place, mark), { force: true });
}

const MARKS: readonly TrashMark[] = ['taking', 'returning'];
