import { Failure } from '../../core/failure.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import { MAX_BATCH, MAX_BATCH_BYTES } from '../../core/stores/session-writer.ts';
import {
  compareTarget,
  type ImportInto,
  type ImportTarget,
  type Written,
  type WrittenLater,
  withTimes,
  writeTarget,
} from './import-target.ts';
import type { ReadMessage } from './line-reader.ts';

/** So many sessions are held until they are written together. */
const MAX_HELD = 200;
/** And so many messages and bytes at most. */
const MAX_HELD_MESSAGES = 4 * MAX_BATCH;
const MAX_HELD_BYTES = 2 * MAX_BATCH_BYTES;

interface Held {
  readonly session: ImportedSession;
  readonly messages: readonly ReadMessage[];
  readonly done: (written: Written | Failure) => void;
}

/**
 * Writes small sessions together: each waits for the disk three times when it is written alone, and an agent leaves thousands of them.
 * A session that grows beyond one batch is written as it is read.
 */
export class ImportGroup implements AsyncDisposable {
  readonly #store: ImportInto;
  #held: Held[] = [];
  #messages = 0;
  #bytes = 0;

  constructor(store: ImportInto) {
    this.#store = store;
  }

  /** Whether what is held should be written before more is read. */
  get isFull(): boolean {
    return this.#held.length >= MAX_HELD || this.#messages >= MAX_HELD_MESSAGES || this.#bytes >= MAX_HELD_BYTES;
  }

  /** The source of a session that is there already, or will be. */
  async sourceOf(id: string): Promise<string | undefined> {
    const held = this.#held.find(({ session }) => session.id === id);
    return held?.session.source ?? (await this.#store.get(id))?.source;
  }

  /** A session that is not there yet is written out of sight; one that is there is only compared. */
  async open(session: ImportedSession): Promise<ImportTarget<Written | WrittenLater>> {
    if (this.#held.some((held) => held.session.id === session.id)) await this.flush();
    if ((await this.#store.get(session.id)) !== undefined) return compareTarget(this.#store, session.id);
    return this.#smallTarget(session);
  }

  /** Writes what is held. What the store refuses is told to whom it concerns, and keeps nothing else back. */
  async flush(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#messages = 0;
    this.#bytes = 0;
    await Promise.all(held.map((one) => this.#write(one)));
  }

  /** What was not written by now is not written at all. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#held = [];
  }

  async #write({ session, messages, done }: Held): Promise<void> {
    const { imports } = this.#store;
    try {
      await imports.begin(session);
      try {
        if (messages.length > 0) await imports.append(session.id, withTimes(messages, session.startedAt));
        await imports.finish(session);
      } catch (error) {
        await imports.abandon(session.id);
        throw error;
      }
      done('imported');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      done(error);
    }
  }

  /** Holds what comes until it is too much for one batch. */
  #smallTarget(begun: ImportedSession): ImportTarget<Written | WrittenLater> {
    let messages: ReadMessage[] = [];
    let bytes = 0;
    let large: ImportTarget | undefined;
    const writeOn = async (): Promise<ImportTarget> => {
      await this.#store.imports.begin(begun);
      large = writeTarget(this.#store, begun);
      for (const message of messages) await large.add(message, Math.ceil(bytes / messages.length));
      messages = [];
      return large;
    };
    return {
      add: async (message, sizeBytes) => {
        if (large !== undefined) return large.add(message, sizeBytes);
        if (messages.length < MAX_BATCH && bytes + sizeBytes <= MAX_BATCH_BYTES) {
          messages.push(message);
          bytes += sizeBytes;
          return undefined;
        }
        return (await writeOn()).add(message, sizeBytes);
      },
      finish: async (session) => {
        if (large !== undefined) return large.finish(session);
        return { later: new Promise((done) => this.#hold({ session, messages, done }, bytes)) };
      },
      abandon: async () => large?.abandon(),
    };
  }

  #hold(held: Held, bytes: number): void {
    this.#held.push(held);
    this.#messages += held.messages.length;
    this.#bytes += bytes;
  }
}
