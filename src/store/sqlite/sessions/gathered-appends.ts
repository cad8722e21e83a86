import { contentBytes, type NewMessage } from '../../../core/sessions/message.ts';
import {
  type AppendOptions,
  type AppendReceipt,
  MAX_BATCH,
  MAX_BATCH_BYTES,
} from '../../../core/stores/session-writer.ts';
import { checkBatch } from './message-writes.ts';
import type { Work, WriteQueue } from '../writing/write-queue.ts';

const BYTES_PER_ROW = MAX_BATCH_BYTES / MAX_BATCH;

/** Stores messages of one session in order, inside a transaction. */
type Store = (id: string, messages: readonly NewMessage[], options?: AppendOptions) => AppendReceipt;

/**
 * Appends to the same session that are asked for one after the other, and wait, are stored by one write: the session's row is read
 * and counted up once, and its transcript grows once. What is wrong with a message is said before it joins others, and what is
 * wrong with the session concerns all of them alike. Only where a session must not grow beyond a size each is stored by itself: one
 * of them may be the last. So is one that bears a key, which goes into the transaction with it.
 */
export class GatheredAppends {
  readonly #queue: WriteQueue;
  readonly #store: Store;
  #newest: Gathered | undefined;

  constructor(queue: WriteQueue, store: Store) {
    this.#queue = queue;
    this.#store = store;
  }

  async add(id: string, messages: readonly NewMessage[], options?: AppendOptions): Promise<AppendReceipt> {
    checkBatch(messages);
    if (isForItself(options)) {
      return this.#queue.run(() => this.#store(id, messages, options), rowsOf(messages));
    }
    let gathered = this.#newest;
    const rows = rowsOf(messages);
    if (gathered?.id !== id || !this.#queue.isLast(gathered) || gathered.rows + rows > MAX_BATCH) {
      gathered = new Gathered(id, this.#store, this.#queue);
      this.#newest = gathered;
    }
    const { before, stored } = gathered.join(messages, rows);
    const { firstSeq, size, problems } = await stored;
    return { firstSeq: firstSeq + before, lastSeq: firstSeq + before + messages.length - 1, size, problems };
  }
}

function isForItself({ within, expectedSeq, once }: AppendOptions = {}): boolean {
  return within !== undefined || expectedSeq !== undefined || once !== undefined;
}

class Gathered implements Work<AppendReceipt> {
  readonly id: string;
  callers = 0;
  rows = 0;
  readonly #messages: NewMessage[] = [];
  readonly #store: Store;
  readonly #stored: Promise<AppendReceipt>;

  constructor(id: string, store: Store, queue: WriteQueue) {
    this.id = id;
    this.#store = store;
    this.#stored = queue.add(this);
  }

  write(): AppendReceipt {
    return this.#store(this.id, this.#messages);
  }

  join(messages: readonly NewMessage[], rows: number): { before: number; stored: Promise<AppendReceipt> } {
    const before = this.#messages.length;
    for (const message of messages) this.#messages.push(message);
    this.callers += 1;
    this.rows += rows;
    return { before, stored: this.#stored };
  }
}

/** A long message counts as several: what shares a transaction is bounded in bytes too. */
function rowsOf(messages: readonly NewMessage[]): number {
  return messages.reduce((sum, message) => sum + Math.max(1, Math.ceil(contentBytes(message) / BYTES_PER_ROW)), 0);
}
