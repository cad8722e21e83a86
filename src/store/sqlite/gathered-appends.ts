import type { NewMessage } from '../../core/message.ts';
import { type AppendReceipt, MAX_BATCH } from '../../core/session-store.ts';
import { checkBatch } from './message-writes.ts';
import type { Work, WriteQueue } from './write-queue.ts';

/** Stores messages of one session in order, inside a transaction. */
type Store = (id: string, messages: readonly NewMessage[]) => AppendReceipt;

/**
 * Appends to the same session that are asked for one after the other, and wait, are stored by one write: the session's row is read
 * and counted up once, and its transcript grows once. What is wrong with a message is said before it joins others, and what is
 * wrong with the session concerns all of them alike.
 */
export class GatheredAppends {
  readonly #queue: WriteQueue;
  readonly #store: Store;
  #newest: Gathered | undefined;

  constructor(queue: WriteQueue, store: Store) {
    this.#queue = queue;
    this.#store = store;
  }

  async add(id: string, messages: readonly NewMessage[]): Promise<AppendReceipt> {
    checkBatch(messages);
    let gathered = this.#newest;
    if (gathered?.id !== id || !this.#queue.isLast(gathered) || gathered.rows + messages.length > MAX_BATCH) {
      gathered = new Gathered(id, this.#store, this.#queue);
      this.#newest = gathered;
    }
    const { before, stored } = gathered.join(messages);
    const { firstSeq, size, problems } = await stored;
    return { firstSeq: firstSeq + before, lastSeq: firstSeq + before + messages.length - 1, size, problems };
  }
}

class Gathered implements Work<AppendReceipt> {
  readonly id: string;
  callers = 0;
  readonly #messages: NewMessage[] = [];
  readonly #store: Store;
  readonly #stored: Promise<AppendReceipt>;

  constructor(id: string, store: Store, queue: WriteQueue) {
    this.id = id;
    this.#store = store;
    this.#stored = queue.add(this);
  }

  get rows(): number {
    return this.#messages.length;
  }

  write(): AppendReceipt {
    return this.#store(this.id, this.#messages);
  }

  join(messages: readonly NewMessage[]): { before: number; stored: Promise<AppendReceipt> } {
    const before = this.#messages.length;
    for (const message of messages) this.#messages.push(message);
    this.callers += 1;
    return { before, stored: this.#stored };
  }
}
