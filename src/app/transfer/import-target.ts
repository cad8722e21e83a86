import { canonicalJson } from '../../core/canonical-json.ts';
import type { ImportedSession } from '../../core/sessions/import-store.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionReader } from '../../core/sessions/session-reader.ts';
import { MAX_BATCH, MAX_BATCH_BYTES, type SessionWriter } from '../../core/sessions/session-writer.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ReadMessage } from './line-reader.ts';

/** What an import needs of the store that it writes to. */
export type ImportInto = Pick<SessionReader, 'get' | 'messages'> & Pick<SessionWriter, 'imports'>;

/** Where the messages of one session go: into the store, or beside what the store has already. */
export interface ImportTarget {
  add(message: ReadMessage, sizeBytes: number): Promise<void>;
  finish(session: ImportedSession): Promise<'imported' | 'already-there' | 'conflict'>;
  /** Leaves the store as it was. */
  abandon(): Promise<void>;
}

/** A session that is not there yet is written out of sight; one that is there is only compared. */
export async function openTarget(store: ImportInto, session: ImportedSession): Promise<ImportTarget> {
  if ((await store.get(session.id)) !== undefined) return compareTarget(store, session.id);
  await store.imports.begin(session);
  return writeTarget(store, session);
}

function writeTarget({ imports }: ImportInto, { id, startedAt }: ImportedSession): ImportTarget {
  let batch: ReadMessage[] = [];
  let batchBytes = 0;
  let lastAt: EpochMs | undefined;
  const flush = async () => {
    const known = lastAt ?? batch.find((message) => message.at !== undefined)?.at ?? startedAt;
    const messages = withTimes(batch, known);
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

/** A message that does not say when it was takes the time of the one before it. */
function withTimes(messages: readonly ReadMessage[], first: EpochMs): readonly Message[] {
  let at = first;
  return messages.map((message) => {
    at = message.at ?? at;
    return Object.assign({ at }, message);
  });
}

/** Compares as it reads, so that neither side is ever in memory. */
function compareTarget(store: ImportInto, id: string): ImportTarget {
  const stored = store.messages(id)[Symbol.asyncIterator]();
  let same = true;
  return {
    async add(message) {
      if (!same) return;
      const { value, done } = await stored.next();
      same = done !== true && canonicalJson({ at: value.at, ...message }) === canonicalJson(value);
    },
    async finish() {
      const complete = same && (await stored.next()).done === true;
      return complete ? 'already-there' : 'conflict';
    },
    async abandon() {
      await stored.return?.();
    },
  };
}
