import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import type { FoundSession } from './file-agent.ts';
import { newestOf, piecesOf } from './session-pieces.ts';

/** For so long after anything in it was written, nobody can tell whether a session is still open somewhere. */
export const RECENT_MS = DAY_MS;

/**
 * The one rule for agents that leave no evidence of what they have open: what was written to within a day counts as in use. An agent
 * that waits for its user or for a model writes nothing, and one on another machine or in a container cannot be seen at all. A day is
 * also the age below which nothing goes by itself, so the rule holds up only those who name a session of today. A time in the future
 * counts as now.
 */
export function recentlyUsed(session: Pick<FoundSession, 'transcripts' | 'parts'>, now: EpochMs): boolean {
  const files = piecesOf({ id: '', active: false, ...session }).flatMap((piece) => piece.files);
  return newestOf(files) > now - RECENT_MS;
}

/** The same by the files as they are this moment. One that is gone says nothing. */
export function recentlyUsedNow(
  home: string,
  session: Pick<FoundSession, 'transcripts' | 'parts'>,
  now: EpochMs,
): boolean {
  const files = piecesOf({ id: '', active: false, ...session }).flatMap((piece) => piece.files);
  return files.some(({ path }) => {
    const stat = lstatSync(join(home, path), { throwIfNoEntry: false });
    return stat !== undefined && stat.mtimeMs > now - RECENT_MS;
  });
}

/** Why such a session stays. */
export const RECENT = 'It was used within a day, and its agent does not tell whether it still is.';
