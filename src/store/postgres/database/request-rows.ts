import type { KeptRequest, Once, RequestBook, RequestState } from '../../../core/gateway/once.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import { digestOf } from './bound-text.ts';
import type { Database } from './database.ts';
import { isTaken } from './server-errors.ts';
import type { Sql } from './sql.ts';

/** As many as the embedded store remembers. */
const MOST = { requests: 100_000, answers: 1000 };
/** How often the number of them is looked at: one in so many that are put. */
const LOOK_EVERY = 64;
const MOST_DROPPED = 500;

interface Kept {
  readonly state: RequestState;
  readonly result: string;
}

/** Requests that bore a key, of one book of a home. What writes here runs inside the caller's transaction. */
export class RequestRows {
  readonly #book: 'state' | 'live';
  readonly #clock: Clock;
  #put = 0;

  constructor(book: 'state' | 'live', clock: Clock) {
    this.#book = book;
    this.#clock = clock;
  }

  find(sql: Sql, key: string): Promise<KeptRequest | undefined> {
    return sql.get<KeptRequest>(`SELECT print, state, result FROM coppice.requests WHERE ${OF_KEY}`, ...this.#of(key));
  }

  /** Does what was asked for, unless it was done under this key before: then it says what that gave. */
  async once<T>(tx: Sql, once: Once | undefined, work: () => Promise<T>): Promise<T> {
    if (once === undefined) return work();
    const known = await this.find(tx, once.key);
    if (known !== undefined) return (JSON.parse(known.result) ?? undefined) as T;
    const given = await work();
    await this.#insert(tx, once, JSON.stringify(given ?? null));
    return given;
  }

  async put(tx: Sql, { key, print }: Once, { state, result }: Kept): Promise<void> {
    await tx.run(
      `INSERT INTO coppice.requests (space, book, key_digest, print, state, result, at) VALUES (:space, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space, book, key_digest) DO UPDATE SET state = excluded.state, result = excluded.result, at = excluded.at`,
      ...this.#of(key),
      print,
      state,
      result,
      this.#clock.now(),
    );
    await this.#bound(tx);
  }

  async remove(tx: Sql, key: string): Promise<void> {
    await tx.run(`DELETE FROM coppice.requests WHERE ${OF_KEY}`, ...this.#of(key));
  }

  /** Returns how many went, of which no more than some go in one transaction. */
  async dropBefore(tx: Sql, at: EpochMs): Promise<boolean> {
    const dropped = await tx.run(
      `DELETE FROM coppice.requests WHERE number IN (SELECT number FROM coppice.requests
       WHERE space = :space AND book = ? ORDER BY number LIMIT ?) AND at < ?`,
      this.#book,
      MOST_DROPPED,
      at,
    );
    return dropped > 0;
  }

  /** Two who come with the same key at once: the second waits, finds it taken, and is begun again, when it finds the answer. */
  async #insert(tx: Sql, { key, print }: Once, result: string): Promise<void> {
    try {
      await tx.run(
        `INSERT INTO coppice.requests (space, book, key_digest, print, state, result, at)
         VALUES (:space, ?, ?, ?, 'noted', ?, ?)`,
        ...this.#of(key),
        print,
        result,
        this.#clock.now(),
      );
    } catch (error) {
      throw isTaken(error)
        ? Object.assign(new Error('the request was carried out meanwhile'), { code: '40001' })
        : error;
    }
    await this.#bound(tx);
  }

  async #bound(tx: Sql): Promise<void> {
    this.#put += 1;
    if (this.#put % LOOK_EVERY !== 0) return;
    await tx.run(
      `DELETE FROM coppice.requests WHERE number IN (SELECT number FROM coppice.requests
       WHERE space = :space AND book = ? ORDER BY number DESC LIMIT ? OFFSET ?)`,
      this.#book,
      MOST_DROPPED,
      MOST.requests,
    );
    await tx.run(
      `DELETE FROM coppice.requests WHERE number IN (SELECT number FROM coppice.requests
       WHERE space = :space AND book = ? AND state <> 'noted' ORDER BY number DESC LIMIT ? OFFSET ?)`,
      this.#book,
      MOST_DROPPED,
      MOST.answers,
    );
  }

  #of(key: string): [book: string, digest: string] {
    return [this.#book, digestOf(key)];
  }
}

const OF_KEY = 'space = :space AND book = ? AND key_digest = ?';

/** Requests that bore a key, beside the sessions that they changed. */
export function createRequestBook(db: Database, rows: RequestRows): RequestBook {
  return {
    find: (key) => rows.find(db, key),
    begin: (once) => db.write((tx) => rows.put(tx, once, { state: 'begun', result: '' })),
    answer: (once, result) => db.write((tx) => rows.put(tx, once, { state: 'answered', result })),
    forget: (key) => db.write((tx) => rows.remove(tx, key)),
    async dropBefore(at) {
      // A look first: an idle home writes nothing.
      const isOlder = () =>
        db.get(`SELECT 1 FROM coppice.requests WHERE space = :space AND book = 'state' AND at < ? LIMIT 1`, at);
      while ((await isOlder()) !== undefined && (await db.write((tx) => rows.dropBefore(tx, at))));
    },
  };
}
