import { Failure } from '../../../core/failure.ts';
import { type EpochMs, HOUR_MS } from '../../../core/time.ts';
import { openHermesWriter } from '../database/hermes-writer.ts';
import { inspectHermes } from '../detect-hermes.ts';
import { IN_USE } from '../taking/session-obstacle.ts';
import { evidenceOf, readLiveness } from './hermes-liveness.ts';
import { readSession } from './hermes-rows.ts';

export interface EndParts {
  readonly home: string;
  readonly now: EpochMs;
}

/**
 * Ends a session that a crash left open, by its id, as Hermes ends those that it finds without an owner: whoever resumes it in
 * Hermes opens it again. Refuses one that anything but its open row says is in use, or that was used a while ago.
 */
export async function endHermesSession({ home, now }: EndParts, id: string): Promise<void> {
  using hermes = openHermesWriter(home);
  const detection = inspectHermes(home, hermes);
  if (detection?.mode !== 'manage') throw refused(detection?.reasons[0]?.message ?? 'It is no Hermes home any more.');
  await hermes.write(() => {
    const row = readSession(hermes, id);
    if (row === undefined || row.endedAt !== undefined) return;
    const liveness = readLiveness(home, hermes, now);
    const doubt =
      liveness.problems[0]?.message ??
      (row.unreadable ? 'Its row holds values that Hermes does not write.' : undefined);
    if (doubt !== undefined) throw refused(doubt);
    const evidence = evidenceOf(liveness, row);
    if (evidence !== undefined && evidence !== 'open') throw refused(IN_USE[evidence]);
    if (now - row.lastActiveAt < REST_MS)
      throw refused('It was used within the last hour, so it may be open in a terminal.');
    const sql = 'UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL';
    hermes.db.prepare(sql).run(now / 1000, OWNERLESS, id);
  });
  await hermes.settle();
}

/** Nothing tells a session that a crash left open from one that waits in a terminal but the time since it was used. */
const REST_MS = HOUR_MS;

/** A reason after which every version of Hermes opens the session again, and from whose time on the session ages. */
const OWNERLESS = 'ws_orphan_reap';

function refused(sentence: string): Failure {
  return new Failure('refused', `The session was not ended. ${sentence}`, {
    hint: 'Nothing was changed. End it in Hermes.',
  });
}
