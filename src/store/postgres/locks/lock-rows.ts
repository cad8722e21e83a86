import { randomUUID } from 'node:crypto';
import { Failure } from '../../../core/failure.ts';
import { unlessFailure } from '../../../core/unless-failure.ts';
import { wait } from '../../../platform/machine/wait.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';

/** Whoever says nothing for so long has lost what it held: it died, or was cut off. */
const LEASE_SECONDS = 30;
/** How often a holder says that it is still there. */
const RENEW_MS = 10_000;
const PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

export interface LockWish {
  readonly name: string;
  readonly isAlone: boolean;
  readonly purpose: string;
  readonly waitMs: number;
}

/** A lock that is held. Its number is higher than that of everybody who had it before. */
export interface HeldLock extends Disposable {
  readonly fence: number;
}

/**
 * Takes a lock that is a row with an end, by the clock of the server. Everybody who asks does so under the row of its name, one after the
 * other. Who wants it alone and has to wait is noted too, and goes before those who come later.
 */
export async function takeLock(db: Database, wish: LockWish): Promise<HeldLock> {
  const holder = randomUUID();
  const until = performance.now() + wish.waitMs;
  // What this process gave back a moment ago is given back before it asks.
  await db.settled();
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    const given = await db.write((tx) => attempt(tx, holder, wish));
    if (given.kind === 'held') return heldLock(db, { ...wish, holder, fence: given.fence });
    if (performance.now() >= until) {
      await db.write((tx) => letGo(tx, wish.name, holder));
      throw taken(given.purpose);
    }
    await wait(Math.min(pauseMs, Math.max(1, until - performance.now())));
  }
}

type Attempt = { readonly kind: 'held'; readonly fence: number } | { readonly kind: 'taken'; readonly purpose: string };

interface LockRow {
  readonly holder: string;
  readonly is_alone: boolean;
  readonly is_waiting: boolean;
  readonly purpose: string;
}

async function attempt(tx: Sql, holder: string, { name, isAlone, purpose }: LockWish): Promise<Attempt> {
  await tx.run('INSERT INTO coppice.lock_names VALUES (:space, ?, 0) ON CONFLICT DO NOTHING', name);
  await tx.get('SELECT fence FROM coppice.lock_names WHERE space = :space AND name = ? FOR UPDATE', name);
  await tx.run(`DELETE FROM coppice.locks WHERE space = :space AND name = ? AND until < ${NOW}`, name);
  const others = await tx.all<LockRow>(
    `SELECT holder, is_alone, is_waiting, purpose FROM coppice.locks WHERE space = :space AND name = ? AND holder <> ?::uuid
     ORDER BY is_waiting, until`,
    name,
    holder,
  );
  // Who waits to have it alone keeps out those who would share it, and not another who waits alike.
  const inTheWay = others.find(({ is_alone: alone, is_waiting: waiting }) => (isAlone ? !waiting : alone));
  if (inTheWay !== undefined && !isAlone) return { kind: 'taken', purpose: inTheWay.purpose };
  const fenced = await tx.get<{ fence: number }>(
    'UPDATE coppice.lock_names SET fence = fence + 1 WHERE space = :space AND name = ? RETURNING fence',
    name,
  );
  const fence = fenced?.fence ?? 0;
  await tx.run(
    `INSERT INTO coppice.locks VALUES (:space, ?, ?::uuid, ?, ?, ?, ?, ${END})
     ON CONFLICT (space, name, holder) DO UPDATE SET is_waiting = excluded.is_waiting, fence = excluded.fence, until = excluded.until`,
    name,
    holder,
    isAlone,
    inTheWay !== undefined,
    purpose,
    fence,
  );
  return inTheWay === undefined ? { kind: 'held', fence } : { kind: 'taken', purpose: inTheWay.purpose };
}

/** The time of the statement: that of the transaction may be from before it waited. */
const NOW = 'clock_timestamp()';
const END = `${NOW} + interval '${LEASE_SECONDS} seconds'`;

interface Held {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
}

function heldLock(db: Database, { name, holder, fence }: Held): HeldLock {
  const renew = () => {
    const renewed = db.write((tx) =>
      tx.run(
        `UPDATE coppice.locks SET until = ${END} WHERE space = :space AND name = ? AND holder = ?::uuid AND until >= ${NOW}`,
        name,
        holder,
      ),
    );
    // A renewal that fails is made up for by the next, while the lease lasts.
    renewed.catch(unlessFailure);
  };
  const timer = setInterval(renew, RENEW_MS).unref();
  return {
    fence,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      db.inBackground(db.write((tx) => letGo(tx, name, holder)));
    },
  };
}

async function letGo(tx: Sql, name: string, holder: string): Promise<void> {
  await tx.run('DELETE FROM coppice.locks WHERE space = :space AND name = ? AND holder = ?::uuid', name, holder);
}

function taken(purpose: string): Failure {
  const who = purpose === '' ? '' : `: ${purpose}`;
  return new Failure('locked', `Another process is changing what this home keeps${who}.`, {
    hint: 'Wait until it is done, then try again. What was done shows: coppice runs list',
  });
}
