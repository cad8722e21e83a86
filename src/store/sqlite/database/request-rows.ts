import type { Statement } from 'better-sqlite3';
import type { KeptRequest, Once, RequestState } from '../../../core/gateway/once.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';

/** Anything that prepares statements, once for each text. */
export interface Prepares {
  sql<Params extends unknown[], Row>(text: string): Statement<Params, Row>;
}

/**
 * So many requests are remembered: a client that lost an answer asks again within seconds. Whole answers are longer than what an
 * effect gave, so fewer of them are kept.
 */
const MOST = { requests: 100_000, answers: 1000 };
/** So many rows at most go in one transaction because of their age. */
const MOST_DROPPED = 500;

/** The table `requests`, which both databases of a home have. Whatever writes here runs inside a transaction. */
export class RequestRows {
  readonly #db: Prepares;
  readonly #clock: Clock;
  readonly #most: typeof MOST;

  constructor(db: Prepares, clock: Clock, most = MOST) {
    this.#most = most;
    this.#db = db;
    this.#clock = clock;
  }

  find(key: string): KeptRequest | undefined {
    return this.#db.sql<[string], KeptRequest>('SELECT print, state, result FROM requests WHERE key = ?').get(key);
  }

  /** Does what was asked for, unless it was done under this key before: then it says what that gave. */
  once<T>(once: Once | undefined, work: () => T): T {
    if (once === undefined) return work();
    const known = this.find(once.key);
    if (known !== undefined) return (JSON.parse(known.result) ?? undefined) as T;
    const given = work();
    this.put(once, 'noted', JSON.stringify(given ?? null));
    return given;
  }

  put({ key, print }: Once, state: RequestState, result: string): void {
    const number = this.#db
      .sql<unknown[], number>(
        `INSERT INTO requests (key, print, state, result, at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET state = excluded.state, result = excluded.result, at = excluded.at
        RETURNING number`,
      )
      .pluck()
      .get(key, print, state, result, this.#clock.now());
    this.#db.sql('DELETE FROM requests WHERE number <= ?').run((number ?? 0) - this.#most.requests);
    if (state !== 'noted') this.#dropAnswers();
  }

  remove(key: string): void {
    this.#db.sql('DELETE FROM requests WHERE key = ?').run(key);
  }

  /** Whether there is anything to drop. */
  isOlder(at: EpochMs): boolean {
    const oldest = this.#db.sql<[], number>('SELECT at FROM requests ORDER BY number LIMIT 1').pluck().get();
    return oldest !== undefined && oldest < at;
  }

  dropBefore(at: EpochMs): void {
    this.#db
      .sql('DELETE FROM requests WHERE number IN (SELECT number FROM requests ORDER BY number LIMIT ?) AND at < ?')
      .run(MOST_DROPPED, at);
  }

  #dropAnswers(): void {
    this.#db
      .sql(`DELETE FROM requests WHERE number IN (
        SELECT number FROM requests WHERE state <> 'noted' ORDER BY number DESC LIMIT -1 OFFSET ?)`)
      .run(this.#most.answers);
  }
}
