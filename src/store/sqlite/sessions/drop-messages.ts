import type { Connection } from '../database/connection.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';
import { roomFor } from '../database/tight-disk.ts';
import { mergeIndexes } from '../search/search-index.ts';
import { noteDeletedText } from '../writing/shrink-indexes.ts';

export interface MessageDrop {
  readonly keys: readonly number[];
  /** Done in the same transaction as the last step. */
  readonly last?: () => void;
}

/**
 * Deletes the messages of sessions; the rest of their rows stays. The steps are short in rows and in bytes, so that their log is
 * bounded whatever the messages are. Where they cannot leave the search index one by one, it is let go of as a whole.
 */
export async function dropMessages(db: Connection, queue: PatientQueue, { keys, last }: MessageDrop): Promise<void> {
  const all = JSON.stringify(keys);
  const waiting = db.sql<[string, number], Waiting>(
    `SELECT id, octet_length(text) AS bytes FROM messages WHERE session_key IN (SELECT value FROM json_each(?)) LIMIT ?`,
  );
  const drop = db.sql<[string], unknown>('DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))');
  let left = true;
  const isLeft = () => left;
  const dropSome = (limit: number) => {
    const { ids, bytes } = firstOf(waiting.iterate(all, limit));
    drop.run(JSON.stringify(ids));
    if (ids.length > 0) {
      mergeIndexes(db, bytes);
      noteDeletedText(db, bytes);
    }
    left = waiting.get(all, 1) !== undefined;
    if (!left) last?.();
    return ids.length;
  };
  if (!fits(db, all)) await queue.letIndexGo();
  while (isLeft()) await queue.step('messages', dropSome);
}

interface Waiting {
  readonly id: number;
  readonly bytes: number;
}

/** So much text leaves in one transaction, unless a single message has more: what that writes is a few times as much. */
const STEP_BYTES = 256 * 1024;

function firstOf(rows: Iterable<Waiting>) {
  const ids: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (ids.length > 0 && bytes + row.bytes > STEP_BYTES) break;
    ids.push(row.id);
    bytes += row.bytes;
  }
  return { ids, bytes };
}

/** Whether the disk has room for messages that leave the search indexes one by one. Where much is free, nobody needs to count. */
function fits(db: Connection, keys: string): boolean {
  const room = roomFor(db);
  if (room >= PLENTY_BYTES) return true;
  const text = db
    .sql<[string], number>(`SELECT coalesce(sum(min(octet_length(text), 100000)), 0) FROM messages
      WHERE session_key IN (SELECT value FROM json_each(?)) AND id <= (SELECT up_to FROM indexed)`)
    .pluck();
  return roomToForget(text.get(keys) ?? 0) <= room;
}

const PLENTY_BYTES = 1024 * 1024 * 1024;
/** Measured with words that no other message has, which is the worst case: until all was merged, and in the log of one step. */
const GROWTH = 2;
const LOG_GROWTH = 16;

function roomToForget(textBytes: number): number {
  return textBytes === 0 ? 0 : 1024 * 1024 + textBytes * GROWTH + Math.min(textBytes, STEP_BYTES) * LOG_GROWTH;
}
