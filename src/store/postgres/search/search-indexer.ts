import { unlessFailure } from '../../../core/unless-failure.ts';
import type { Database } from '../database/database.ts';
import { indexPortion } from './search-rows.ts';

/** So long nothing was written before indexing begins: whoever writes does not wait for it. */
const IDLE_MS = 20;
/** However much is written, a portion of what waits is indexed after this. */
const LONGEST_MS = 2000;

const BEHIND = 'SELECT 1 FROM coppice.sessions WHERE space = :space AND indexed_seq < last_seq LIMIT 1';

/** Indexes what was written when nobody writes for a moment. What a crash leaves is indexed by whoever writes or searches next. */
export class SearchIndexer implements AsyncDisposable {
  readonly #db: Database;
  #timer: NodeJS.Timeout | undefined;
  #owedSince = 0;
  #running: Promise<void> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Something was written. */
  note(): void {
    const now = performance.now();
    if (this.#timer === undefined) this.#owedSince = now;
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#owedSince + LONGEST_MS - now);
    this.#timer = setTimeout(() => this.#begin(), Math.min(IDLE_MS, left)).unref();
  }

  /** Indexes all that was acknowledged by now, of whatever process. */
  async caughtUp(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
    // A look first: where nothing was written since, whoever searches only reads.
    if ((await this.#db.get(BEHIND)) === undefined) return;
    while (await this.#db.write(indexPortion));
    // What another is at right now is indexed by it; it takes moments.
    await this.#db.write((tx) =>
      tx.all('SELECT key FROM coppice.sessions WHERE space = :space AND indexed_seq < last_seq ORDER BY key FOR SHARE'),
    );
    while (await this.#db.write(indexPortion));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #begin(): void {
    this.#timer = undefined;
    const previous = this.#running ?? Promise.resolve();
    // It is made up for by whoever searches; whoever wrote must not notice.
    const running = previous.then(() => this.#indexAll()).catch(unlessFailure);
    this.#running = running.finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
  }

  /** Until somebody writes again: who writes without a pause is not slowed down for long by what may wait. */
  async #indexAll(): Promise<void> {
    while ((await this.#db.write(indexPortion)) && this.#timer === undefined);
  }
}
