import { canonicalJson } from '../../core/canonical-json.ts';
import type { Failure } from '../../core/failure.ts';
import type { ImportedSession } from '../../core/stores/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import { MAX_BATCH, MAX_BATCH_BYTES, type SessionWriter } from '../../core/stores/session-writer.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ReadMessage } from './line-reader.ts';

/** What an import needs of the store that it writes to. */
export type ImportInto = Pick<SessionReader, 'get' | 'messages'> & Pick<SessionWriter, 'imports'>;

/** What became of a session. One that has `grown` is there already with fewer messages, which are the same. */
export type Written = 'imported' | 'already-there' | 'conflict' | 'grown';

/** It is written together with others, and what became of it is known then; a failure says why the store refused it. */
export interface WrittenLater {
  readonly later: Promise<Written | Failure>;
}

/** Where the messages of one session go: into the store, or beside what the store has already. */
export interface ImportTarget<Result = Written> {
  add(message: ReadMessage, sizeBytes: number): Promise<void>;
  finish(session: ImportedSession): Promise<Result>;
  /** Leaves the store as it was. */
  abandon(): Promise<void>;
}

/** A session that is not there yet is written out of sight; one that is there is only compared. */
export async function openTarget(store: ImportInto, session: ImportedSession): Promise<ImportTarget> {
  if ((await store.get(session.id)) !== undefined) return compareTarget(store, session.id);
  await store.imports.begin(session);
  return writeTarget(store, session);
}

/** Writes a session that was begun, a batch at a time. */
export function writeTarget({ imports }: ImportInto, { id, startedAt }: ImportedSession): ImportTarget {
  let batch: ReadMessage[] = [];
  let batchBytes = 0;
  let lastAt: EpochMs | undefined;
  const flush = async () => {
    const messages = withTimes(batch, startedAt, lastAt);
    batch = [];
    batchBytes = 0;
    if (messages.length === 0) return;
    lastAt = messages.at(-1)?.at;
    await imports.append(id, messages);
  };
  return {
    async add(message, sizeBytes) {
      if (batchBytes + sizeBytes > MAX_BATCH_BYTES) await flush();
      batch.push(message);
      batchBytes += sizeBytes;
      if (batch.length === MAX_BATCH) await flush();
    },
    async finish(session) {
      await flush();
      await imports.finish(session);
      return 'imported';
    },
    abandon: () => imports.abandon(id),
  };
}

/** A message that does not say when it was takes the time of the one before it, and the first ones that of the one after them. */
export function withTimes(messages: readonly ReadMessage[], startedAt: EpochMs, before?: EpochMs): readonly Message[] {
  let at = before ?? messages.find((message) => message.at !== undefined)?.at ?? startedAt;
  return messages.map((message) => {
    at = message.at ?? at;
    return Object.assign({ at }, message);
  });
}

/** Compares as it reads, so that neither side is ever in memory. */
export function compareTarget(store: ImportInto, id: string): ImportTarget {
  const stored = store.messages(id)[Symbol.asyncIterator]();
  let same = true;
  let more = false;
  return {
    async add(message) {
      if (!same || more) return;
      const { value, done } = await stored.next();
      if (done === true) more = true;
      else same = canonicalJson({ at: value.at, ...message }) === canonicalJson(value);
    },
    async finish() {
      if (!same) return 'conflict';
      if (more) return 'grown';
      return (await stored.next()).done === true ? 'already-there' : 'conflict';
    },
    async abandon() {
      await stored.return?.();
    },
  };
}
