import { Failure } from '../../core/failure.ts';
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
 * Deletes the rows of sessions in one short transaction, each compared with its record first. Those that it has no time for get
 * no answer, and the first one always does. When the database refuses one of them, only the first is taken, so that whichever it was is told alone.
 */
export async function takeRows(desk: TakeDesk, takes: readonly PreparedTake[]): Promise<RowsTaken[]> {
  const { hermes, home } = desk;
  try {
    const workOf = ({ length }: readonly RowsTaken[]) =>
      takes.slice(0, length).flatMap(({ record, left = record.chunks }) => left);
    return await hermes.write(() => {
      const startedAt = performance.now();
      const facts = { liveness: readLiveness(home, hermes, desk.now()), version: hermes.version() };
      const answers: RowsTaken[] = [];
      for (const take of takes) {
        const late = performance.now() - startedAt > TRANSACTION_MS || !hermes.hasTimeFor(take.record.chunks);
        if (answers.length > 0 && late) break;
        answers.push(takeWhole(desk, take, facts));
      }
      return answers;
    }, workOf);
  } catch (error) {
    const why = refusal(error);
    if (why === undefined) throw error;
    return takes.length === 1 ? [{ stays: why }] : takeRows(desk, takes.slice(0, 1));
  }
}

/** Well below the 100 ms for which nobody may hold the write lock: the commit takes its time too. */
const TRANSACTION_MS = 30;

/** What the database says against one session. Everything else concerns the whole run. */
function refusal(error: unknown): string | undefined {
  const said = error instanceof Failure ? error.cause : error;
  if (!/^SQLITE_(CONSTRAINT|CORRUPT)/.test(errorCode(said) ?? '')) return undefined;
  return `The database of Hermes refused it: ${said instanceof Error ? said.message : String(said)}.`;
}

/** What is true in one transaction. */
interface Moment {
  readonly liveness: HermesLiveness;
  readonly version: number;
}

/** The whole session, or what is left of it when later parts have gone already. */
function takeWhole(desk: TakeDesk, take: PreparedTake, moment: Moment): RowsTaken {
  const { record, left = record.chunks } = take;
  const answer = mayGo(desk, take, { moment, left });
  if (answer !== undefined) return answer;
  if (!left.every((chunk) => sameMessages(desk, take, { chunk, moment }))) return 'changed';
  completeEntries(
    desk.hermes,
    left.flatMap((chunk) => cutIn(record, chunk)),
  );
  deleteRest(desk, take);
  return 'taken';
}

/** Deletes the last chunks of what is left of a long session, if the session is still the same. */
export async function takeChunks(
  desk: TakeDesk,
  take: PreparedTake,
  chunks: readonly MessageChunk[],
): Promise<RowsTaken> {
  const { hermes, home } = desk;
  const { record, left = record.chunks } = take;
  return hermes.write(
    () => {
      const moment = { liveness: readLiveness(home, hermes, desk.now()), version: hermes.version() };
      const answer = mayGo(desk, take, { moment, left });
      if (answer !== undefined) return answer;
      for (const chunk of chunks) {
        if (!sameMessages(desk, take, { chunk, moment })) return 'changed';
        completeEntries(hermes, cutIn(record, chunk));
        const sql = 'DELETE FROM messages WHERE session_id = ? AND id BETWEEN ? AND ?';
        hermes.db.prepare(sql).run(record.id, chunk.firstId, chunk.lastId);
      }
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
