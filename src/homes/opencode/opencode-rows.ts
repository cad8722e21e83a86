import type { Database } from 'better-sqlite3';
import { readTime } from '../../core/read-time.ts';
import { objectOf, textOf } from '../../core/sessions/message-parts.ts';
import { addUsage, type ModelUsage, NO_USAGE } from '../../core/sessions/session.ts';
import { shellWord } from '../../core/shell-word.ts';
import { parseObject } from '../../keeping/row-home/parse-object.ts';
import type { RowAgent, RowPage, RowSession } from '../../keeping/row-home/row-agent.ts';
import { createBreathing, sumRows } from '../../keeping/row-home/sum-rows.ts';
import { type GuestDatabase, hasColumns } from '../../platform/sqlite/guest-database.ts';
import { openConversation } from './opencode-conversation.ts';
import { opencodeDatabases } from './opencode-places.ts';
import { hasSessions } from './opencode-schema.ts';
import { usageOf } from './opencode-usage.ts';

/** The sessions of opencode. Its own command removes one, and prints it before so that it can come back. */
export const opencodeRows: RowAgent = {
  databases: opencodeDatabases,
  sessions: readSessions,
  page: readPage,
  hold: ({ id }) => ({ kind: 'through-owner', command: removal(id) }),
  mend: 'See what is wrong with: opencode db "pragma integrity_check"',
};

function removal(id: string): string {
  const [word, file] = [shellWord(id), shellWord(`${id}.json`)];
  return `opencode export ${word} > ${file} && opencode session delete ${word}`;
}

const PAGE_MESSAGES = 50;

function readPage({ db }: GuestDatabase, id: string, after: string | undefined): RowPage {
  const conversation = openConversation(db, id);
  const ids = conversation?.messageIds(after, PAGE_MESSAGES) ?? [];
  const pieces = ids.flatMap((message) => conversation?.say(message) ?? []);
  const last = ids.at(-1);
  return { pieces, ...(last !== undefined && ids.length === PAGE_MESSAGES && { next: last }) };
}

/** What its program writes is one of these; what is none of them is passed over. */
type Cell = string | number | null;

type SessionRow = Readonly<Record<Column | 'id' | 'parent' | 'directory' | 'title' | 'created' | 'updated', Cell>>;
/** What not every version has. */
type Column = 'model' | 'time_compacting' | 'time_archived';
const COLUMNS: readonly Column[] = ['model', 'time_compacting', 'time_archived'];

async function* readSessions(guest: GuestDatabase, signal?: AbortSignal): AsyncGenerator<RowSession> {
  if (!hasSessions(guest)) return;
  const rows = sessionRows(guest);
  const breathe = createBreathing(signal);
  const table = { table: 'part', session: 'session_id', content: 'data' };
  const parts = hasColumns(guest, 'part', ['session_id']) ? await sumRows(guest.db, table, breathe) : undefined;
  const tell = tellSessions(guest.db);
  for (const row of rows) {
    await breathe();
    // What is no text is the id of nothing that its program knows.
    if (typeof row.id === 'string') yield tell(row, row.id, parts?.get(row.id)?.bytes ?? 0);
  }
}

function sessionRows(guest: GuestDatabase): readonly SessionRow[] {
  const columns = COLUMNS.map((name) => (hasColumns(guest, 'session', [name]) ? name : `NULL AS ${name}`));
  return guest.db
    .prepare<[], SessionRow>(
      `SELECT id, parent_id AS parent, directory, title, time_created AS created, time_updated AS updated, ${columns.join(', ')}
       FROM session ORDER BY time_created, id`,
    )
    .all();
}

interface MessageRow {
  readonly bytes: number;
  /** Absent for prompts, which use nothing and may hold long lists of changes. */
  readonly data: unknown;
}

/**
 * A fork is a copy of all messages under new ids, with their tokens and without a word about where they came from. What it keeps are the
 * moments in which each answer began and ended, so an answer of an older session with the same moments is the same call.
 */
function tellSessions(db: Database): (row: SessionRow, id: string, partsHold: number) => RowSession {
  const messages = db.prepare<[string], MessageRow>(
    `SELECT octet_length(data) AS bytes, iif(data LIKE '{"role":"user"%', NULL, data) AS data
     FROM message WHERE session_id = ? ORDER BY time_created, id`,
  );
  const owners = new Map<string, string>();
  return (row, id, partsHold) => {
    const models = new Map<string, ModelUsage>();
    let [messageRows, rowBytes, unfinished] = [0, partsHold, false];
    let source: string | undefined;
    for (const { bytes, data } of messages.iterate(id)) {
      messageRows += 1;
      rowBytes += bytes;
      const info = parseObject(data);
      const used = info && usageOf(info);
      // Only the newest one may still be at it.
      unfinished = info?.['role'] === 'assistant' && objectOf(info['time'])?.['completed'] === undefined;
      if (used === undefined) continue;
      const owner = owners.get(used.call) ?? id;
      owners.set(used.call, owner);
      if (owner !== id) {
        source ??= owner;
        continue;
      }
      const { model } = used.report;
      models.set(model, { model, ...addUsage(models.get(model) ?? NO_USAGE, { ...NO_USAGE, ...used.report }) });
    }
    const usage = { usageByModel: [...models.values()], messageRows, rowBytes };
    return {
      ...described(row, id, source),
      ...usage,
      ...((unfinished || row.time_compacting !== null) && { unfinished: true }),
    };
  };
}

function described(
  { parent, directory, title, created, updated, ...row }: SessionRow,
  id: string,
  source: string | undefined,
): Omit<RowSession, 'usageByModel' | 'messageRows' | 'rowBytes'> {
  const [workdir, name, of] = [textOf(directory), textOf(title), modelOf(row.model)];
  const startedAt = readTime(created) ?? readTime(updated) ?? 0;
  const from = typeof parent === 'string' ? parent : source;
  return {
    id,
    ...(name !== undefined && { title: name }),
    ...(workdir !== undefined && { workdir }),
    ...(of !== undefined && { model: of }),
    ...(from !== undefined && { parentId: from, childKind: from === parent ? 'subagent' : 'branch' }),
    startedAt,
    lastActiveAt: Math.max(startedAt, readTime(updated) ?? startedAt),
    ...(row.time_archived !== null && { tags: ['opencode:archived'] }),
  };
}

/** It is written down as JSON, of which the id is what people know. */
function modelOf(model: Cell): string | undefined {
  return textOf(parseObject(model)?.['id']);
}
