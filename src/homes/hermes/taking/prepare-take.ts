import type { RunItem } from '../../../core/retention/run.ts';
import { isOneChunk, type MessageChunk, readTable } from '../database/record-tables.ts';
import type { HermesLiveness } from '../sessions/hermes-liveness.ts';
import { type HermesRow, readSession } from '../sessions/hermes-rows.ts';
import type { FileBytes } from '../sessions/hermes-session-item.ts';
import { lookAtFiles, sumSizes } from '../sessions/session-files.ts';
import { fileObstacle } from './hermes-trash.ts';
import type { RecordWriter } from './record-writer.ts';
import { childIds, sessionObstacle } from './session-obstacle.ts';
import { promptOf, type SessionRecord, withHead, writeRecord } from './session-record.ts';
import type { TakeDesk } from './take-desk.ts';

/** A session that is written down and may go, if it is still the same under the write lock. */
export interface PreparedTake {
  readonly item: RunItem;
  readonly record: SessionRecord;
  readonly row: HermesRow;
  readonly files: FileBytes;
  /** Sessions that came out of it, which lose their parent. */
  readonly children: readonly string[];
  readonly promptHash?: string;
  /** Of the database when the first row was read. */
  readonly version: number;
  /** What is still there of a long session that goes in several steps. */
  readonly left?: readonly MessageChunk[];
}

export interface PrepareParts {
  readonly liveness: HermesLiveness;
  readonly writer: RecordWriter;
}

/**
 * Writes down everything that is needed to bring a session back, before the write lock is taken; the caller seals the record. A
 * sentence when the session has to stay. Nothing is read in one long transaction: what was written is compared under the lock.
 */
export async function prepareTake(
  desk: TakeDesk,
  item: RunItem,
  { liveness, writer }: PrepareParts,
): Promise<PreparedTake | string> {
  const { hermes, home } = desk;
  const { number, fingerprint } = item;
  const { id } = item.item;
  const version = hermes.version();
  const own = lookAtFiles(home, desk.files.of(id));
  const shared = fileObstacle(home, own);
  if (shared !== undefined) return shared;
  const early = readSession(hermes, id);
  if (early === undefined) return 'It is gone already.';
  const files = sumSizes(own);
  // Asked before the work of writing it down, and again when it counts: later parts of its conversation may go just before it.
  const facts = { fingerprint, files, liveness, leaves: false };
  const obstacle = sessionObstacle(hermes, early, facts);
  if (obstacle !== undefined) return obstacle;
  const record = await writeRecord(hermes, writer, { number, id, short: isOneChunk(early.messages) });
  const row = hermes.version() === version ? early : readSession(hermes, id);
  if (record === undefined || row === undefined) return 'It is gone already.';
  const children = childIds(hermes, id);
  const promptHash = promptOf(record);
  if (promptHash !== undefined) {
    writer.prompt(number, promptHash, () =>
      withHead(readTable(hermes, { table: 'system_prompts', column: 'hash' }, promptHash)),
    );
  }
  return { item, record, row, files, children, version, ...(promptHash !== undefined && { promptHash }) };
}
