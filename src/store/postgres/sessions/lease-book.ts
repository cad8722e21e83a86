import { randomUUID } from 'node:crypto';
import type { LeaseHolder, ProcessIdentity } from '../../../core/sessions/lease-holder.ts';
import { type Clock, MINUTE_MS } from '../../../core/time.ts';
import { currentProcess } from '../../../platform/machine/process-identity.ts';
import type { Sql } from '../database/sql.ts';

/** How often a holder says that it is still there. */
export const HEARTBEAT_MS = MINUTE_MS;

/**
 * The claims of one open store on the sessions it writes to. A claim is a row that outlives a crash; whoever reads it decides by the
 * identity of its process, or by when it was last heard of, whether its holder is still there.
 */
export class LeaseBook {
  readonly holderId = randomUUID();
  readonly #clock: Clock;
  readonly #held = new Set<number>();
  #announced = false;
  #identity: ProcessIdentity | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True once this process has said that it is there, so that there is something to renew and give up. */
  get announced(): boolean {
    return this.#announced;
  }

  /** Claims a session, inside the caller's transaction. Claiming twice is the same as once. */
  async claim(tx: Sql, sessionKey: number): Promise<void> {
    this.#held.add(sessionKey);
    // Asked of the database: a transaction may have been undone after the claim, and somebody may have forgotten this process.
    const claimed = await tx.get(
      'SELECT 1 FROM coppice.leases WHERE session_key = ? AND holder_id = ?',
      sessionKey,
      this.holderId,
    );
    if (claimed !== undefined) return;
    await this.#sayHere(tx);
    await this.#insert(tx, [sessionKey]);
  }

  /** Gives a claim up, inside the caller's transaction. */
  async release(tx: Sql, sessionKey: number): Promise<void> {
    this.#held.delete(sessionKey);
    await tx.run('DELETE FROM coppice.leases WHERE session_key = ? AND holder_id = ?', sessionKey, this.holderId);
  }

  /** Renews all claims, also ones that somebody removed. */
  async beat(tx: Sql): Promise<void> {
    await this.#sayHere(tx);
    await this.#insert(tx, [...this.#held]);
  }

  /** Gives up everything. */
  async releaseAll(tx: Sql): Promise<void> {
    this.#held.clear();
    await forgetHolder(tx, this.holderId);
  }

  async #sayHere(tx: Sql): Promise<void> {
    this.#announced = true;
    this.#identity ??= currentProcess();
    const { host, bootId, pidNamespace, pid, startedAt } = this.#identity;
    await tx.run(
      `INSERT INTO coppice.holders VALUES (:space, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space, id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
      this.holderId,
      host,
      bootId,
      pidNamespace,
      pid,
      startedAt,
      this.#clock.now(),
    );
  }

  async #insert(tx: Sql, keys: readonly number[]): Promise<void> {
    await tx.run(
      `INSERT INTO coppice.leases SELECT key, ? FROM coppice.sessions WHERE key = ANY (?::bigint[]) ON CONFLICT DO NOTHING`,
      this.holderId,
      keys,
    );
  }
}

export async function forgetHolder(tx: Sql, id: string): Promise<void> {
  await tx.run('DELETE FROM coppice.leases WHERE holder_id = ?', id);
  await tx.run('DELETE FROM coppice.holders WHERE space = :space AND id = ?', id);
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

export async function readHolders(sql: Sql): Promise<readonly LeaseHolder[]> {
  const holders = await sql.all<HolderRow>('SELECT * FROM coppice.holders WHERE space = :space ORDER BY id');
  const leases = await sql.all<{ holder_id: string; id: string }>(
    `SELECT l.holder_id, s.id FROM coppice.leases l JOIN coppice.sessions s ON s.key = l.session_key
     WHERE s.space = :space ORDER BY s.id`,
  );
  return holders.map((row) => ({
    id: row.id,
    process: {
      host: row.host,
      bootId: row.boot_id,
      pidNamespace: row.pid_namespace,
      pid: row.pid,
      startedAt: row.process_started_at,
    },
    heartbeatAt: row.heartbeat_at,
    sessionIds: leases.filter(({ holder_id: holder }) => holder === row.id).map(({ id }) => id),
  }));
}
