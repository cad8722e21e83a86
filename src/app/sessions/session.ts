import type { Once } from '../../core/gateway/once.ts';
import type { Problem } from '../../core/problem.ts';
import { archivedSession, noSuchSession } from '../../core/sessions/check-session.ts';
import { contentBytes, type Message, type NewMessage } from '../../core/sessions/message.ts';
import type { RequestDump } from '../../core/sessions/request-dump.ts';
import type { ModelUsage, SessionFacts, SessionSize, UsageReport } from '../../core/sessions/session.ts';
import type { MessageRange, SessionReader } from '../../core/stores/session-reader.ts';
import {
  type AppendReceipt,
  MAX_BATCH,
  MAX_BATCH_BYTES,
  type SessionWriter,
} from '../../core/stores/session-writer.ts';
import { type FollowOptions, followMessages } from './follow-messages.ts';
import type { SessionFile } from './session-files.ts';

export interface SessionParts {
  readonly store: SessionReader & SessionWriter;
  readonly files: (id: string) => Promise<readonly SessionFile[]>;
  /** Told after every write, for what a home needs done by whoever writes to it. */
  readonly wrote: () => void;
  readonly writeDump: (id: string, dump: RequestDump) => Promise<{ path: string; totalBytes: number }>;
}

/** A look at the database costs little. */
const POLL_MS = 300;

/** A handle on one session. It holds no state of its own: several handles and processes may use the same session. */
export class Session {
  readonly id: string;
  readonly #parts: SessionParts;

  constructor(id: string, parts: SessionParts) {
    this.id = id;
    this.#parts = parts;
  }

  /** What is known about the session now. */
  async facts(): Promise<SessionFacts> {
    const facts = await this.#store.get(this.id);
    if (facts === undefined) throw noSuchSession(this.id);
    return facts;
  }

  /** Stores one message; durable when the promise resolves. */
  async append(message: NewMessage): Promise<AppendReceipt> {
    const receipt = await this.#store.append(this.id, [message]);
    this.#parts.wrote();
    return receipt;
  }

  /** Stores messages together, all or none: only after the message with the expected number, where one is given, and under a key once. */
  async appendAfter(
    expectedSeq: number | undefined,
    messages: readonly NewMessage[],
    once?: Once,
  ): Promise<AppendReceipt> {
    const receipt = await this.#store.append(this.id, messages, { expectedSeq, once });
    this.#parts.wrote();
    return receipt;
  }

  /** Stores many messages in short transactions. What was stored before a failure stays. */
  async appendAll(messages: Iterable<NewMessage> | AsyncIterable<NewMessage>): Promise<AppendAllReceipt> {
    let count = 0;
    let last: AppendReceipt | undefined;
    const problems: Problem[] = [];
    for await (const batch of batches(messages)) {
      last = await this.#store.append(this.id, batch);
      this.#parts.wrote();
      count += batch.length;
      problems.push(...last.problems);
    }
    return { count, ...(last && { lastSeq: last.lastSeq, size: last.size }), problems };
  }

  /** The messages in order, all or a range. */
  messages(range?: MessageRange): AsyncIterable<Message> {
    return this.#store.messages(this.id, range);
  }

  /** The newest messages, then new ones of any process as they come, until the session ends. */
  follow(options: FollowOptions): AsyncIterable<Message> {
    const ended = async () => (await this.#store.get(this.id))?.endedAt !== undefined;
    return followMessages({ messages: (range) => this.messages(range), ended, pollMs: POLL_MS }, options);
  }

  /** Adds what a model call used: the difference, not a running total. */
  async recordUsage(report: UsageReport): Promise<void> {
    await this.#store.recordUsage(this.id, report);
  }

  usageByModel(): Promise<readonly ModelUsage[]> {
    return this.#store.usageByModel(this.id);
  }

  /** Keeps a request and its response for later, without the secrets in headers. Old dumps make room. */
  async dump(dump: RequestDump): Promise<{ readonly path: string }> {
    const { archivedAt } = await this.facts();
    // Said before the file is written: it would stand where the files come back to.
    if (archivedAt !== undefined) throw archivedSession(this.id);
    const { path, totalBytes } = await this.#parts.writeDump(this.id, dump);
    await this.#store.recordDumps(this.id, { sizeBytes: totalBytes });
    return { path };
  }

  /** The files the session keeps: transcript, request dumps. */
  files(): Promise<readonly SessionFile[]> {
    return this.#parts.files(this.id);
  }

  rename(title: string): Promise<SessionFacts> {
    return this.#store.change(this.id, { title });
  }

  tag({ add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] }): Promise<SessionFacts> {
    return this.#store.change(this.id, { addTags: add, removeTags: remove });
  }

  /** A pinned session is never removed by any rule. */
  pin(): Promise<SessionFacts> {
    return this.#store.change(this.id, { pinned: true });
  }

  unpin(): Promise<SessionFacts> {
    return this.#store.change(this.id, { pinned: false });
  }

  /** Ends the session; it takes no more messages until it is resumed. */
  end(reason: string): Promise<SessionFacts> {
    return this.#store.end(this.id, reason);
  }

  /** Opens an ended session again. */
  resume(): Promise<SessionFacts> {
    return this.#store.resume(this.id);
  }

  /** Says that this process is done with the session without ending it. */
  async release(): Promise<void> {
    await this.#store.release(this.id);
  }

  get #store(): SessionParts['store'] {
    return this.#parts.store;
  }
}

export interface AppendAllReceipt {
  readonly count: number;
  /** The number of the newest, and how large the session is with it; absent when there was none. */
  readonly lastSeq?: number;
  readonly size?: SessionSize;
  readonly problems: readonly Problem[];
}

async function* batches(messages: Iterable<NewMessage> | AsyncIterable<NewMessage>): AsyncGenerator<NewMessage[]> {
  let batch: NewMessage[] = [];
  let bytes = 0;
  for await (const message of messages) {
    batch.push(message);
    bytes += contentBytes(message);
    if (batch.length < MAX_BATCH && bytes < MAX_BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
