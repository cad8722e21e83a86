import type { Problem } from '../../core/problem.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { NamePart } from '../../core/sessions/session-names.ts';
import {
  type ListQuery,
  type SessionReader,
  SORT_MEASURES,
  type StoreCheck,
} from '../../core/stores/session-reader.ts';

import { damagedPages, databaseBytes, LARGE_BYTES, leaveOutIndexes } from '../../platform/sqlite/damaged-pages.ts';
import { readGuest } from '../../platform/sqlite/guest-database.ts';
import { fitsName, isAboutTitle } from '../fits-name.ts';
import { messagesInRange } from '../message-range.ts';
import { rowMessages } from './count-row.ts';
import { rowFacts, type RowTelling } from './row-facts.ts';
import type { FoundRow } from './row-agent.ts';
import type { Rows } from './rows.ts';
import { whyUnread } from './why-unread.ts';

export interface RowReaderParts {
  readonly home: string;
  readonly source: string;
  readonly rows: Rows;
  /** What else is looked at when the home is checked. */
  readonly files: Pick<SessionReader, 'check'>;
}

/** The sessions of a home whose sessions are rows, read where they are. No connection is held between two questions. */
export function createRowSessionReader(parts: RowReaderParts): SessionReader {
  const { rows, source, home } = parts;
  const telling: RowTelling = { source, agent: rows.agent };
  const find = async (id: string) => (await rows.look()).byId.get(id);
  const counted = async (row: FoundRow) => rowFacts(telling, row, await rows.count(row));
  return {
    async get(id) {
      const row = await find(id);
      return row && counted(row);
    },
    idsNamed: async (part, limit) => idsNamed((await rows.look()).sessions, part, limit),
    async *list(query = {}) {
      for (const row of await listed({ rows, telling }, query))
        yield query.uncounted === true ? rowFacts(telling, row) : await counted(row);
    },
    async *messages(id, range = {}) {
      const row = await find(id);
      if (row !== undefined) yield* messagesInRange(rowMessages(rows.agent, row), range);
    },
    usageByModel: async (id) => (await find(id))?.usageByModel ?? [],
    async *check() {
      yield* parts.files.check();
      for (const path of rows.agent.databases(home)) yield checkDatabase(path, rows);
    },
  };
}

function idsNamed(sessions: readonly FoundRow[], part: NamePart, limit: number): readonly string[] {
  const named = sessions.filter(({ id, title }) => {
    const name = isAboutTitle(part) ? title : id;
    return name !== undefined && fitsName(part, name);
  });
  return named
    .map(({ id }) => id)
    .toSorted()
    .slice(0, limit);
}

async function listed(
  { rows, telling }: { readonly rows: Rows; readonly telling: RowTelling },
  query: ListQuery,
): Promise<readonly FoundRow[]> {
  const { sort = 'last', limit = Number.POSITIVE_INFINITY, since = 0, before = Number.POSITIVE_INFINITY } = query;
  if (query.archived === true || (query.source ?? telling.source) !== telling.source) return [];
  const inUse = query.open === true || query.active !== undefined;
  const { sessions } = await rows.look();
  const found: { readonly row: FoundRow; readonly facts: SessionFacts }[] = [];
  for (const row of sessions) {
    if ((inUse && !row.active) || row.lastActiveAt < since || row.lastActiveAt >= before) continue;
    const count = sort === 'messages' ? await rows.count(row) : undefined;
    found.push({ row, facts: rowFacts(telling, row, count) });
  }
  if (sort !== 'stored') {
    const value = SORT_MEASURES[sort];
    found.sort((a, b) => value(b.facts) - value(a.facts) || (a.row.id < b.row.id ? 1 : -1));
  }
  return found.slice(0, limit).map(({ row }) => row);
}

async function checkDatabase(path: string, { agent }: Rows): Promise<StoreCheck> {
  const problem = (kind: string, message: string): Problem => {
    return { kind, subject: path, message, ...(agent.mend !== undefined && { hint: agent.mend }) };
  };
  try {
    const problems = await readGuest(path, async ({ db }) => {
      leaveOutIndexes(db);
      if (databaseBytes(db) > LARGE_BYTES)
        return [problem('not-checked', 'Its database is larger than 1 GB, so its pages were not read one by one.')];
      return damagedPages(db).map((line) => problem('database-damaged', `Its database is damaged: ${line}.`));
    });
    return { name: 'database', problems };
  } catch (error) {
    const why = `Its database cannot be read. ${whyUnread(error)}`;
    return { name: 'database', problems: [problem('database-damaged', why)] };
  }
}
