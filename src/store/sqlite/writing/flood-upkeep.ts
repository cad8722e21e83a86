import { MOST_OWED_BYTES, type SearchIndexer } from '../search/search-index.ts';
import { emptyLogPatiently } from '../database/bound-log.ts';
import type { Connection } from '../database/connection.ts';
import { emptyLog } from '../database/empty-log.ts';
import { startUpkeepThread, type UpkeepThread } from './upkeep-thread.ts';

/** So much text that waits for the index means a flood. */
const FLOOD_BYTES = 512 * 1024;
/** After so long without a flood the thread ends. */
const CALM_MS = 5000;
/** How often the log is moved into the database. */
const MOVE_EVERY_MS = 500;
/** A log of so many pages begins anew, for which writes wait a moment. */
const MOST_LOG_PAGES = 8192;
/** Beyond these whoever writes has to do the work: without the thread, and with one that cannot keep up. */
const MOST = {
  alone: { logPages: 1000, owedBytes: MOST_OWED_BYTES },
  // No commit moves the log then: one that is full is emptied by the thread while whoever writes waits, without keeping the first.
  helped: { logPages: 0, owedBytes: 2 * MOST_OWED_BYTES },
} as const;
/**
 * So much text is indexed in one go: some milliseconds, for which writes wait. It does not grow with what comes, or a thread that
 * cannot keep up would make them wait longer and longer; then more is owed instead, up to the limit above.
 */
const PORTION_BYTES = 16 * 1024;
/** So much of the indexes is merged in one go, which takes as long. */
const MERGE_PAGES = 16;
/** It rests at most so many times as long as it had the lock. */
const LONGEST_REST = 15;

/**
 * Keeps up with a flood of writes in a second thread. While the first one takes requests or waits for the disk, messages enter the
 * search index, and the log moves into the database. For some of that the second thread has the write lock; writes then wait for
 * their turn without keeping the first. Where no second thread can be had, whoever writes does all of it, as without a flood.
 */
export class FloodUpkeep {
  readonly #connection: Connection;
  readonly #indexer: SearchIndexer;
  #thread: UpkeepThread | undefined;
  #isHopeless: boolean;
  #work: Promise<void> | undefined;
  #turn: Promise<unknown> | undefined;
  #calm: NodeJS.Timeout | undefined;
  #moveLogAt = 0;
  #isMerging = false;
  #restUntil = 0;

  constructor(connection: Connection, indexer: SearchIndexer) {
    this.#connection = connection;
    this.#indexer = indexer;
    // Without the log, whoever reads would find the lock taken too.
    this.#isHopeless = connection.raw.pragma('journal_mode', { simple: true }) !== 'wal';
  }

  /** Whether messages are indexed beside those who write. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  /** Defined while a write would find the lock taken; resolves when it is free. */
  get turn(): Promise<unknown> | undefined {
    return this.#turn;
  }

  /** To be called after every transaction of many: begins what is due in the second thread. */
  goOn(): void {
    if (this.#isHopeless || this.#indexer.owedBytes < FLOOD_BYTES) return;
    this.#thread ??= this.#start();
    this.#calm?.refresh();
    this.#work ??= this.#keepUp(this.#thread)?.finally(() => {
      this.#work = undefined;
      if (this.#isHopeless) void this.end();
    });
  }

  /** Makes room in a log that is full. Whoever writes waits for it, so the log is bounded however little the thread gets done. */
  emptyLog(): Promise<void> {
    return emptyLogPatiently(async () => {
      while (this.#work !== undefined) await this.#work;
      const byThread = this.#thread?.emptyLog();
      this.#work = byThread?.then(() => (this.#work = undefined));
      // Where the thread is gone, or could not do it, this one can.
      return (await byThread) ?? emptyLog(this.#connection.raw);
    });
  }

  /** Resolves when there is no second thread. */
  async end(): Promise<void> {
    clearTimeout(this.#calm);
    while (this.#work !== undefined) await this.#work;
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    if (this.#connection.raw.open) this.#limit('alone');
    // Whoever commits next would have to do it.
    await thread.moveLog();
    await thread.end();
  }

  #start(): UpkeepThread {
    this.#limit('helped');
    this.#calm = setTimeout(() => void this.end(), CALM_MS).unref();
    return startUpkeepThread(this.#connection.path);
  }

  #keepUp(thread: UpkeepThread): Promise<void> | undefined {
    // Moving the log comes first. Nobody waits for it, and so nobody waits for the thread to start.
    const now = performance.now();
    if (now >= this.#moveLogAt) return this.#moveLog(thread);
    if (now < this.#restUntil) return undefined;
    // What was indexed is merged before more is: pieces that pile up would be merged by SQLite, all in one go.
    if (this.#isMerging) return this.#merge(thread);
    return this.#indexer.owedBytes > MOST_OWED_BYTES ? this.#index(thread) : undefined;
  }

  /** Moves the log while others write. It begins anew only if nothing new is in it at the end, so at times they wait for that. */
  async #moveLog(thread: UpkeepThread): Promise<void> {
    const pages = await thread.moveLog();
    this.#isHopeless = pages === undefined;
    if (pages !== undefined && pages > MOST_LOG_PAGES) await this.#inTurn(thread.moveLog());
    this.#moveLogAt = performance.now() + MOVE_EVERY_MS;
  }

  async #index(thread: UpkeepThread): Promise<void> {
    const indexed = await this.#thenRest(thread.index(PORTION_BYTES));
    if (indexed !== undefined) this.#indexer.note(indexed);
    this.#isMerging = true;
  }

  async #merge(thread: UpkeepThread): Promise<void> {
    this.#isMerging = (await this.#thenRest(thread.merge(MERGE_PAGES))) === true;
  }

  /** Has the lock for a while, and leaves it to those who write for a while: less and less the more is owed. */
  async #thenRest<T>(work: Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await this.#inTurn(work);
    const now = performance.now();
    const beyond = Math.max(1, this.#indexer.owedBytes - MOST_OWED_BYTES);
    this.#restUntil = now + (now - begun) * Math.min(LONGEST_REST, MOST_OWED_BYTES / beyond - 1);
    return result;
  }

  async #inTurn<T>(work: Promise<T>): Promise<T> {
    this.#turn = work;
    const result = await work;
    this.#turn = undefined;
    return result;
  }

  #limit(how: keyof typeof MOST): void {
    this.#connection.raw.pragma(`wal_autocheckpoint = ${MOST[how].logPages}`);
    this.#indexer.mostOwedBytes = MOST[how].owedBytes;
  }
}
