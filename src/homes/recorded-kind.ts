import { join } from 'node:path';
import { companionPath } from '../keeping/own-layout.ts';
import { writeFileAtomic } from '../platform/files/private-files.ts';
import { readTextIfThere } from '../platform/text/read-text-if-there.ts';

const RECORD = 'kind';

/**
 * The kind of a home that Coppice has changed before, as it wrote down itself. A home from which every session went may have nothing left
 * by which anybody would know it, and its sessions must find back.
 */
export function recordedKind(home: string): string | undefined {
  try {
    return readTextIfThere(join(companionPath(home), RECORD)).trim() || undefined;
  } catch {
    // It cannot be read, or is no file: then the home is known by what is in it, or not at all.
    return undefined;
  }
}

/** Comes before the first change of a home. */
export function recordKind(home: string, kind: string): void {
  if (recordedKind(home) !== kind) writeFileAtomic(join(companionPath(home), RECORD), `${kind}\n`);
}
