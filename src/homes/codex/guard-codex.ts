import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { IN_USE } from '../../core/sessions/in-use.ts';
import { type EpochMs, SECOND_MS } from '../../core/time.ts';
import { type HoldObstacle, holdLock } from '../../platform/locks/hold-lock.ts';
import { holdLockSoon } from '../../platform/files/hold-lock-soon.ts';
import type { FoundSession, SessionGuard } from '../../keeping/file-home/file-agent.ts';
import { doubtfulMs } from './codex-threads.ts';
import { COORDINATION, isLoaded } from './writer-locks.ts';

/** Codex holds it for as long as it compresses or converts rollouts. */
const MAINTENANCE = '.tmp/rollout-maintenance.lock';

/** Others hold the first of them for a moment only. */
const PATIENCE_MS = 5 * SECOND_MS;

/**
 * Takes the lock that every Codex asks for before it begins with a thread, so that none begins with one that is being removed: it waits
 * until this is disposed of. What is loaded already is known by the lock of the thread itself.
 */
export async function guardCodex(home: string, now: EpochMs): Promise<SessionGuard> {
  const coordination = await holdLockSoon(join(home, COORDINATION), PATIENCE_MS);
  const maintenance = holdLock(join(home, MAINTENANCE));
  const since = now - doubtfulMs(typeof coordination !== 'string');
  const inTheWay = obstacleFor(coordination, maintenance);
  return {
    obstacle(session) {
      if (inTheWay !== undefined) return inTheWay;
      if (isLoaded(home, session.id)) return 'Codex has it open.';
      return writtenSince(home, session, since) ? IN_USE.active : undefined;
    },
    [Symbol.dispose]() {
      for (const lock of [coordination, maintenance]) if (typeof lock !== 'string') lock[Symbol.dispose]();
    },
  };
}

type Held = Disposable | HoldObstacle;

/** Earlier versions have no such locks; then only when a thread was written last tells whether it is in use. */
function obstacleFor(coordination: Held, maintenance: Held): string | undefined {
  if (coordination === 'held') return 'Codex is beginning or ending with a thread. Try again when it is done.';
  return maintenance === 'held'
    ? 'Codex is compressing or converting its rollouts. Try again when it is done.'
    : undefined;
}

/** What is not there any more is for others to find out. */
function writtenSince(home: string, { transcripts }: FoundSession, since: EpochMs): boolean {
  return transcripts.some(({ path }) => (lstatSync(join(home, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) > since);
}
