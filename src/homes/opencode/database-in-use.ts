import { statSync } from 'node:fs';
import type { EpochMs } from '../../core/time.ts';
import { RECENT_MS } from '../../keeping/file-home/recently-used.ts';
import { databaseUse } from '../../platform/sqlite/database-holders.ts';
import { opencodeDatabases } from './opencode-places.ts';

/** Why nothing may be taken for a leftover now. */
export function databaseInUse(home: string, now: EpochMs): string | undefined {
  for (const path of opencodeDatabases(home)) {
    const use = databaseUse(path);
    if (use === 'open') return 'A process has the database of opencode open.';
    // Where the system does not tell, the agent was at work if it wrote something.
    if (use === 'unknown' && writtenAt(path) > now - RECENT_MS)
      return 'opencode was used within a day, and nobody can tell whether it still is.';
  }
  return undefined;
}

/** For whoever asks again and again: the answer of a moment ago holds, as looking at all processes takes a while. */
export function watchDatabases(home: string, now: EpochMs): () => string | undefined {
  let last: { readonly at: number; readonly why: string | undefined } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > MOMENT_MS)
      last = { at: performance.now(), why: databaseInUse(home, now) };
    return last.why;
  };
}

const MOMENT_MS = 100;

function writtenAt(database: string): EpochMs {
  const times = ['', '-wal'].map((suffix) => statSync(database + suffix, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}
