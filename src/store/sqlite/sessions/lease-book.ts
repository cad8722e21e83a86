import { randomUUID } from 'node:crypto';
import type { LeaseHolder, ProcessIdentity } from '../../../core/sessions/lease-holder.ts';
import { type Clock, MINUTE_MS } from '../../../core/time.ts';
import { currentProcess } from '../../../platform/machine/process-identity.ts';
import type { Connection } from '../database/connection.ts';

/** How often a holder says that it is still there; only other machines need to be told. */
const HEARTBEAT_MS = MINUTE_MS;

/**
 * The claims of this process on the sessions it writes to. A claim is a row that outlives a crash; whoever reads it decides
 * by the process's identity whether its holder is still alive.
 */
export interface LeaseBook {
  /** Claims a session, inside the caller's write transaction. Claiming twice is the same as once. */
  claim(sessionKey: number): void;
  /** Gives a claim up, inside the caller's write transaction. */
  release(sessionKey: number): void;
  /** Renews all claims, also ones that somebody removed; inside a write transaction. */
  beat(): void;
  /** Gives up everything; inside a write transaction. */
  releaseAll(): void;
  /** True once this process has said that it is there, so that there is something to renew and give up. */
  readonly announced: boolean;
  readonly heartbeatMs: number;
}

export function createLeaseBook(db: Connection, clock: Clock): LeaseBook {
  const holderId = randomUUID();
  const held = new Set<number>();
  let announced = false;
  let identity: ProcessIdentity | undefined;

  const sayHere = () => {
    announced = true;
    identity ??= currentProcess();
    const { host, bootId, pidNamespace, pid, startedAt } = identity;
    db.sql(`INSERT INTO holders VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET heartbeat_at = excluded.heartbeat_at`).run(
      holderId,
      host,
      bootId,
      pidNamespace,
      pid,
      startedAt,
      clock.now(),
    );
  };
  /** Asked of the database: a transaction may have been undone after the claim, and somebody may have forgotten this process. */
  const isClaimed = (sessionKey: number) =>
    db
      .sql<[number, string], unknown>('SELECT 1 FROM leases WHERE session_key = ? AND holder_id = ?')
      .get(sessionKey, holderId) !== undefined;
  const insertClaim = (sessionKey: number) => {
    db.sql(`INSERT INTO leases SELECT key, ? FROM sessions WHERE key = ? ON CONFLICT DO NOTHING`).run(
      holderId,
      sessionKey,
    );
  };

  return {
    heartbeatMs: HEARTBEAT_MS,
    get announced() {
      return announced;
    },
    claim(sessionKey) {
      held.add(sessionKey);
      if (isClaimed(sessionKey)) return;
      sayHere();
      insertClaim(sessionKey);
    },
    release(sessionKey) {
      held.delete(sessionKey);
      db.sql('DELETE FROM leases WHERE session_key = ? AND holder_id = ?').run(sessionKey, holderId);
    },
    beat() {
      sayHere();
      for (const sessionKey of held) insertClaim(sessionKey);
    },
    releaseAll() {
      held.clear();
      db.sql('DELETE FROM holders WHERE id = ?').run(holderId);
    },
  };
}

interface HolderRow {
  readonly id: string;
  readonly host: string;
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly pid: number;
  readonly process_started_at: string;
  readonly heartbeat_at: number;
}

export function readHolders(db: Connection): readonly LeaseHolder[] {
  const sessionsOf = db
    .sql<[string], string>(`SELECT sessions.id FROM leases JOIN sessions ON key = session_key
    WHERE holder_id = ? ORDER BY sessions.id`)
    .pluck();
  return db
    .sql<[], HolderRow>('SELECT * FROM holders ORDER BY id')
    .all()
    .map((row) => ({
      id: row.id,
      process: {
        host: row.host,
        bootId: row.boot_id,
        pidNamespace: row.pid_namespace,
        pid: row.pid,
        startedAt: row.process_started_at,
      },
      heartbeatAt: row.heartbeat_at,
      sessionIds: sessionsOf.all(row.id),
    }));
}
