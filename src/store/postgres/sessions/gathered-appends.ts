import { contentBytes, type NewMessage } from '../../../core/sessions/message.ts';
import {
  type AppendOptions,
  type AppendReceipt,
  MAX_BATCH,
  MAX_BATCH_BYTES,
} from '../../../core/stores/session-writer.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Database } from '../database/database.ts';
import type { WriteLine } from '../writing/write-line.ts';
import { appendAtOnce, type SessionAppend, type Stored } from './append-at-once.ts';
import { checkBatch } from './message-writes.ts';

/** Stores messages of one session by themselves, in a transaction that decides about everything. */
type StoreAlone = (append: SessionAppend, options?: AppendOptions) => Promise<AppendReceipt>;

export interface GatheredParts {
  readonly db: Database;
  readonly line: WriteLine;
  readonly holderId: string;
  readonly now: () => EpochMs;
  readonly alone: StoreAlone;
}

const BYTES_PER_ROW = MAX_BATCH_BYTES / MAX_BATCH;

/**
 * Appends that are asked for one after the other, and wait, are stored by one statement, whoever asks and in whichever session. What is
 * wrong with a message is said before it joins others; what is wrong with a session concerns its own appends alike, and no other. An
 * append with a condition, or under a key, is stored by itself.
 */
export class GatheredAppends {
  readonly #parts: GatheredParts;
  #newest: Gathered | undefined;

  constructor(parts: GatheredParts) {
    this.#parts = parts;
  }

  async add(id: string, messages: readonly NewMessage[], options?: AppendOptions): Promise<AppendReceipt> {
    checkBatch(messages);
    const { line, alone } = this.#parts;
    if (isForItself(options)) return line.run(() => alone({ id, messages }, options));
    const rows = rowsOf(messages);
    let gathered = this.#newest;
    if (gathered === undefined || !line.isLast(gathered) || gathered.rows + rows > MAX_BATCH) {
      gathered = new Gathered(this.#parts);
      this.#newest = gathered;
    }
    return gathered.join(id, messages, rows);
  }
}

function isForItself({ within, expectedSeq, once }: AppendOptions = {}): boolean {
  return within !== undefined || expectedSeq !== undefined || once !== undefined;
}

/** What waits together for its turn. */
class Gathered {
  rows = 0;
  readonly #bySession = new Map<string, NewMessage[]>();
  readonly #stored: Promise<ReadonlyMap<string, Promise<Stored>>>;
  readonly #parts: GatheredParts;

  constructor(parts: GatheredParts) {
    this.#parts = parts;
    this.#stored = parts.line.run(() => this.#store(), this);
    // Each who joined hears of it.
    this.#stored.catch(() => undefined);
  }

  async join(id: string, messages: readonly NewMessage[], rows: number): Promise<AppendReceipt> {
    const all = this.#bySession.get(id) ?? [];
    const before = all.length;
    all.push(...messages);
    this.#bySession.set(id, all);
    this.rows += rows;
    const { lastSeq, size } = await ((await this.#stored).get(id) as Promise<Stored>);
    const firstSeq = lastSeq - all.length + before + 1;
    return { firstSeq, lastSeq: firstSeq + messages.length - 1, size, problems: [] };
  }

  async #store(): Promise<ReadonlyMap<string, Promise<Stored>>> {
    const { db, holderId, now, alone } = this.#parts;
    const appends = [...this.#bySession].map(([id, messages]) => ({ id, messages }));
    const stored = db.capabilities.oneStatement
      ? await appendAtOnce(db, appends, { holderId, now: now() })
      : new Map<string, Stored>();
    const each = new Map<string, Promise<Stored>>();
    for (const append of appends) {
      const known = stored.get(append.id);
      const one = known === undefined ? alone(append) : Promise.resolve(known);
      each.set(append.id, one);
      // What becomes of one is for those who wait for it; the next is not begun before.
      await one.catch(() => undefined);
    }
    return each;
  }
}

/** A long message counts as several: what shares a statement is bounded in bytes too. */
function rowsOf(messages: readonly NewMessage[]): number {
  return messages.reduce((sum, message) => sum + Math.max(1, Math.ceil(contentBytes(message) / BYTES_PER_ROW)), 0);
}
