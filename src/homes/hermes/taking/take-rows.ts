import { quoted } from '../../../platform/sqlite/row-lines.ts';
import { completeEntries, findCutEntries } from '../database/cut-entries.ts';
import {
  chunkOf,
  columnsOf,
  type MessageChunk,
  readChunk,
  readTable,
  type SideTable,
  type TableLines,
} from '../database/record-tables.ts';
import { type Refusal, refusalOf } from '../database/refusal.ts';
import { type HermesLiveness, readLiveness } from '../sessions/hermes-liveness.ts';
import type { PreparedTake } from './prepare-take.ts';
import { childIds, sessionObstacle } from './session-obstacle.ts';
import { cutIn } from './session-record.ts';
import type { TakeDesk } from './take-desk.ts';

/** What became of the rows of one session: they are gone, or it changed and may be tried again, or why it stays. */
export type RowsTaken = 'taken' | 'changed' | Refusal;

/**
 * Deletes the rows of sessions in one short transaction, each compared with its record first. Those that it has no time for get
 * no answer, and the first one always does. When the database refuses one of them, only the first is taken, so that whichever it was is told alone.
 */
export async function takeRows(desk: TakeDesk, takes: readonly PreparedTake[]): Promise<RowsTaken[]> {
  const { hermes, home } = desk;
  try {
    const workOf = ({ length }: readonly RowsTaken[]) => takes.slice(0, length).flatMap(leftOf);
    return await hermes.write(() => {
      const startedAt = performance.now();
      const moment = { liveness: readLiveness(home, hermes, desk.now()), version: hermes.version() };
      const answers: RowsTaken[] = [];
      const going: PreparedTake[] = [];
      for (const take of takes) {
        const late =
          performance.now() - startedAt > COMPARING_MS || !hermes.hasTimeFor([...going, take].flatMap(leftOf));
        if (answers.length >= SESSIONS_A_STEP || (answers.length > 0 && late)) break;
        const answer = compare(desk, take, moment);
        if (answer === 'taken') going.push(take);
        answers.push(answer);
      }
      deleteAll(desk, going);
      return answers;
    }, workOf);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return takes.length === 1 || refusal.damaged ? [refusal] : takeRows(desk, takes.slice(0, 1));
  }
}

/** A part of the 100 ms for which nobody may hold the write lock: the deleting comes after it. */
const COMPARING_MS = 10;

/** Sessions without messages take their time too. */
const SESSIONS_A_STEP = 100;

/** What is still there of a session. */
function leftOf({ record, left = record.chunks }: PreparedTake): readonly MessageChunk[] {
  return left;
}

/** What is true in one transaction. */
interface Moment {
  readonly liveness: HermesLiveness;
  readonly version: number;
}

/** Whether a session may go, with all that is left of it. */
function compare(desk: TakeDesk, take: PreparedTake, moment: Moment): RowsTaken {
  const { record, row } = take;
  const left = leftOf(take);
  const answer = mayGo(desk, take, { moment, left });
  if (answer !== undefined) return answer;
  if (!left.every((chunk) => sameMessages(desk, take, { chunk, moment }))) return 'changed';
  const { hermes } = desk;
  completeEntries(
    hermes,
    left.flatMap((chunk) => cutIn(record, chunk)),
  );
  // From here on nothing before it in its conversation has to stay for its sake.
  if (row.parentId !== undefined)
    hermes.db.prepare('UPDATE sessions SET parent_session_id = NULL WHERE id = ?').run(record.id);
  return 'taken';
}

/** Deletes the last chunks of what is left of a long session, if the session is still the same. */
export async function takeChunks(
  desk: TakeDesk,
  take: PreparedTake,
  chunks: readonly MessageChunk[],
): Promise<RowsTaken> {
  const { hermes, home } = desk;
  const { record } = take;
  const left = leftOf(take);
  return hermes.write(
    () => {
      const moment = { liveness: readLiveness(home, hermes, desk.now()), version: hermes.version() };
      const answer = mayGo(desk, take, { moment, left });
      if (answer !== undefined) return answer;
      if (!chunks.every((chunk) => sameMessages(desk, take, { chunk, moment }))) return 'changed';
      completeEntries(
        hermes,
        chunks.flatMap((chunk) => cutIn(record, chunk)),
      );
      const sql = 'DELETE FROM messages WHERE session_id = ? AND id BETWEEN ? AND ?';
      hermes.db.prepare(sql).run(record.id, chunks[0]?.firstId, chunks.at(-1)?.lastId);
      return 'taken';
    },
    () => chunks,
  );
}

/** Whether a session is still as it was written down and nothing holds it. Undefined when it may go. */
function mayGo(
  { hermes }: TakeDesk,
  take: PreparedTake,
  { moment: { liveness, version }, left }: { readonly moment: Moment; readonly left: readonly MessageChunk[] },
): RowsTaken | undefined {
  const { item, row, files } = take;
  if (version !== take.version && !sameRows(hermes, take, left)) return 'changed';
  const { fingerprint } = item;
  const stays = sessionObstacle(hermes, row, { fingerprint, files, liveness, leaves: true });
  return stays === undefined ? undefined : { stays };
}

/**
 * The row of the session, those that belong to it, its children, and how many messages it has. Asked only when another
 * connection has changed anything at all: what this one did to them since, such as taking a parent or a child, is meant.
 */
function sameRows(
  hermes: TakeDesk['hermes'],
  { record: { id, session, side }, children }: PreparedTake,
  left: readonly MessageChunk[],
): boolean {
  const same = (table: SideTable, { lines }: TableLines) =>
    readTable(hermes, table, id).lines.join('\n') === lines.join('\n');
  const messages = left.reduce((sum, { count }) => sum + count, 0);
  return (
    same({ table: 'sessions', column: 'id' }, session) &&
    childIds(hermes, id).join('\0') === children.join('\0') &&
    hermes.side.every((table, at) => same(table, side[at] ?? session)) &&
    countMessages(hermes, id) === messages
  );
}

function countMessages({ db }: TakeDesk['hermes'], id: string): number {
  return db.prepare<[string], number>('SELECT count(*) FROM messages WHERE session_id = ?').pluck().get(id) ?? 0;
}

/** Read again only if another connection has changed anything at all. */
function sameMessages(
  { hermes }: TakeDesk,
  { record, version }: PreparedTake,
  { chunk, moment }: { readonly chunk: MessageChunk; readonly moment: Moment },
): boolean {
  if (moment.version === version) return true;
  const columns = columnsOf(hermes, 'messages');
  const lines = readChunk(hermes, { ...chunk, id: record.id, columns });
  if (lines.length !== chunk.count || chunkOf(columns, lines).digest !== chunk.digest) return false;
  const cut = findCutEntries(hermes, { table: 'messages', columns, lines });
  return cut.join() === cutIn(record, chunk).join();
}

/**
 * Messages go before the rows of their sessions, because the triggers of the search index look at those, and all of them at once
 * and in their order: SQLite adds a part to each index with every statement that deletes messages, and has to merge it later.
 * Prompts go last, and only those that no session needs.
 */
function deleteAll({ hermes }: TakeDesk, takes: readonly PreparedTake[]): void {
  const { db, side } = hermes;
  const run = (sql: string, ...values: string[]) => db.prepare(sql).run(...values);
  const ids = takes.map(({ record }) => record.id);
  for (const id of ids) {
    run('UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?', id);
    for (const { table, column } of side) run(`DELETE FROM ${quoted(table)} WHERE ${quoted(column)} = ?`, id);
  }
  const found = db.prepare<[string], bigint>('SELECT id FROM messages WHERE session_id = ?').pluck().safeIntegers();
  const messages = ids.flatMap((id) => found.all(id));
  if (messages.length > 0)
    run('DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))', `[${messages.join()}]`);
  for (const id of ids) run('DELETE FROM sessions WHERE id = ?', id);
  const unused = 'NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = ?)';
  for (const hash of new Set(takes.flatMap(({ promptHash }) => promptHash ?? [])))
    run(`DELETE FROM system_prompts WHERE hash = ? AND ${unused}`, hash, hash);
}
