import { errorCode } from '../../platform/error-code.ts';
import { completeEntries, findCutEntries } from './cut-entries.ts';
import { type HermesLiveness, readLiveness } from './hermes-liveness.ts';
import type { PreparedTake } from './prepare-take.ts';
import {
  chunkOf,
  columnsOf,
  type MessageChunk,
  readChunk,
  readTable,
  type SideTable,
  type TableLines,
} from './record-tables.ts';
import { quoted } from './row-lines.ts';
import { childIds, sessionObstacle } from './session-obstacle.ts';
import type { SessionRecord } from './session-record.ts';
import type { TakeDesk } from './take-desk.ts';

/** What became of the rows of one session: they are gone, or it changed and may be tried again, or why it stays. */
export type RowsTaken = 'taken' | 'changed' | { readonly stays: string };

/**
 * Deletes the rows of small sessions, as many as fit into one short transaction, each compared with its record first. The rest
 * gets no answer and is for the next transaction.
 */
export async function takeRows(desk: TakeDesk, takes: readonly PreparedTake[]): Promise<RowsTaken[]> {
  const { hermes, home } = desk;
  return hermes.write(() => {
    const startedAt = performance.now();
    const liveness = readLiveness(home, hermes, desk.now());
    const answers: RowsTaken[] = [];
    for (const take of takes) {
      if (answers.length > 0 && performance.now() - startedAt > TRANSACTION_MS) break;
      answers.push(attempt(desk, () => takeWhole(desk, take, liveness)));
    }
    return answers;
  });
}

/** Well below the 100 ms for which nobody may hold the write lock: the commit takes its time too. */
const TRANSACTION_MS = 35;

/** One session in a transaction of others: what the database refuses is undone and does not stop them. */
function attempt({ hermes }: TakeDesk, act: () => RowsTaken): RowsTaken {
  try {
    return hermes.db.transaction(act)();
  } catch (error) {
    if (!/^SQLITE_(CONSTRAINT|CORRUPT)/.test(errorCode(error) ?? '')) throw error;
    return { stays: `The database of Hermes refused it: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

/** The whole session, or what is left of it when all of its chunks but the first have gone already. */
function takeWhole(desk: TakeDesk, take: PreparedTake, liveness: HermesLiveness): RowsTaken {
  const [chunk] = take.record.chunks;
  const answer = mayGo(desk, take, { liveness, messages: chunk?.count ?? 0 });
  if (answer !== undefined) return answer;
  if (chunk !== undefined && !sameMessages(desk, take, chunk)) return 'changed';
  if (chunk !== undefined) completeEntries(desk.hermes, cutIn(take.record, chunk));
  deleteRest(desk, take);
  return 'taken';
}

/** Deletes one chunk of a long session, if the session is still the same and has exactly so many messages left. */
export async function takeChunk(
  desk: TakeDesk,
  take: PreparedTake,
  { chunk, left }: { readonly chunk: MessageChunk; readonly left: number },
): Promise<RowsTaken> {
  const { hermes, home } = desk;
  return hermes.write(() => {
    const answer = mayGo(desk, take, { liveness: readLiveness(home, hermes, desk.now()), messages: left });
    if (answer !== undefined) return answer;
    if (!sameMessages(desk, take, chunk)) return 'changed';
    completeEntries(hermes, cutIn(take.record, chunk));
    const sql = 'DELETE FROM messages WHERE session_id = ? AND id BETWEEN ? AND ?';
    hermes.db.prepare(sql).run(take.record.id, chunk.firstId, chunk.lastId);
    return 'taken';
  });
}

/** Whether a session is still as it was written down and nothing holds it. Undefined when it may go. */
function mayGo(
  { hermes }: TakeDesk,
  take: PreparedTake,
  { liveness, messages }: { readonly liveness: HermesLiveness; readonly messages: number },
): RowsTaken | undefined {
  const { item, record, row, files, children } = take;
  if (!sameRows(hermes, take, messages)) return 'changed';
  if (childIds(hermes, record.id).join('\0') !== children.join('\0')) return 'changed';
  const { fingerprint } = item;
  const stays = sessionObstacle(hermes, row, { fingerprint, files, liveness, leaves: true });
  return stays === undefined ? undefined : { stays };
}

/**
 * The row of the session, those that belong to it, and how many messages it has. While no other connection has changed anything,
 * only its own row may be another: its parent may have gone a moment ago.
 */
function sameRows(
  hermes: TakeDesk['hermes'],
  { record: { id, session, side }, version }: PreparedTake,
  messages: number,
): boolean {
  const same = (table: SideTable, { lines }: TableLines) =>
    readTable(hermes, table, id).lines.join('\n') === lines.join('\n');
  if (!same({ table: 'sessions', column: 'id' }, session)) return false;
  if (hermes.version() === version) return true;
  return hermes.side.every((table, at) => same(table, side[at] ?? session)) && countMessages(hermes, id) === messages;
}

function countMessages({ db }: TakeDesk['hermes'], id: string): number {
  return db.prepare<[string], number>('SELECT count(*) FROM messages WHERE session_id = ?').pluck().get(id) ?? 0;
}

/** Read again only if another connection has changed anything at all. */
function sameMessages({ hermes }: TakeDesk, { record, version }: PreparedTake, chunk: MessageChunk): boolean {
  if (hermes.version() === version) return true;
  const columns = columnsOf(hermes, 'messages');
  const lines = readChunk(hermes, { ...chunk, id: record.id, columns });
  if (lines.length !== chunk.count || chunkOf(columns, lines).digest !== chunk.digest) return false;
  const cut = findCutEntries(hermes, { table: 'messages', columns, lines });
  return cut.join() === cutIn(record, chunk).join();
}

function cutIn({ cut }: SessionRecord, { firstId, lastId }: MessageChunk): readonly bigint[] {
  return cut.filter((id) => id >= firstId && id <= lastId);
}

/**
 * Messages go before the row of their session, because the triggers of the search index look at it; the prompt goes last, and
 * only when no session needs it.
 */
function deleteRest({ hermes }: TakeDesk, { record: { id }, promptHash }: PreparedTake): void {
  const run = (sql: string, ...values: string[]) => hermes.db.prepare(sql).run(...values);
  run('UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?', id);
  run('DELETE FROM messages WHERE session_id = ?', id);
  for (const { table, column } of hermes.side) run(`DELETE FROM ${quoted(table)} WHERE ${quoted(column)} = ?`, id);
  run('DELETE FROM sessions WHERE id = ?', id);
  if (promptHash === undefined) return;
  const unused = 'NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = ?)';
  run(`DELETE FROM system_prompts WHERE hash = ? AND ${unused}`, promptHash, promptHash);
}
