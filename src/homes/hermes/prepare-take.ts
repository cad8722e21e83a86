import type { RunItem } from '../../core/run.ts';
import type { HermesLiveness } from './hermes-liveness.ts';
import { type HermesRow, readSession } from './hermes-rows.ts';
import type { FileBytes } from './hermes-session-item.ts';
import { fileObstacle, plainFile } from './hermes-trash.ts';
import { columnsOf } from './record-tables.ts';
import { sumFiles } from './session-files.ts';
import { childIds, sessionObstacle } from './session-obstacle.ts';
import { type SessionRecord, writeRecord } from './session-record.ts';
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
}

/**
 * Writes down everything that is needed to bring a session back, before the write lock is taken; the caller seals the record. A
 * sentence when the session has to stay. Nothing is read in one long transaction: what was written is compared under the lock.
 */
export async function prepareTake(
  desk: TakeDesk,
  item: RunItem,
  liveness: HermesLiveness,
): Promise<PreparedTake | string> {
  const { hermes, home, trash } = desk;
  const { id } = item.item;
  const version = hermes.version();
  const place = trash.place(item.number);
  const own = desk.files.of(id).filter(({ name }) => plainFile(`${home}/sessions/${name}`) !== undefined);
  const shared = fileObstacle(
    home,
    own.map(({ name }) => name),
  );
  if (shared !== undefined) return shared;
  const early = readSession(hermes, id);
  if (early === undefined) return 'It is gone already.';
  const files = sumFiles(own, (name) => [`${home}/sessions/${name}`]);
  const { fingerprint } = item;
  // Asked before the work of writing it down, and again when it counts: later parts of its conversation may go just before it.
  const facts = { fingerprint, files, liveness, leaves: false };
  const obstacle = sessionObstacle(hermes, early, facts);
  if (obstacle !== undefined) return obstacle;
  const record = await writeRecord(hermes, place, id);
  const row = hermes.version() === version ? early : readSession(hermes, id);
  if (record === undefined || row === undefined) return 'It is gone already.';
  const children = childIds(hermes, id);
  const promptHash = promptOf(desk, id);
  if (promptHash !== undefined) desk.prompts.keep(place, promptHash);
  return { item, record, row, files, children, version, ...(promptHash !== undefined && { promptHash }) };
}

function promptOf({ hermes }: TakeDesk, id: string): string | undefined {
  if (!hermes.tables.has('system_prompts') || !columnsOf(hermes, 'sessions').includes('system_prompt_hash'))
    return undefined;
  const hash = hermes.db.prepare<[string]>('SELECT system_prompt_hash FROM sessions WHERE id = ?').pluck().get(id);
  return typeof hash === 'string' ? hash : undefined;
}
