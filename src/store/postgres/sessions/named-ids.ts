import { LEAST_END, type NamePart } from '../../../core/sessions/session-names.ts';
import type { Sql, Value } from '../database/sql.ts';

/** Comes after every other character. */
const LAST = '\u{10ffff}';

interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

const WITH_TITLE = 'key IN (SELECT session_key FROM coppice.titles WHERE space = :space AND';

/** The beginning of a title has an index; `lower` knows the letters a to z alone, by the order of bytes that the column has. */
const CONDITIONS: Readonly<Record<NamePart['kind'], (text: string) => Condition>> = {
  'id-start': (text) => ({ sql: 'id >= ? AND id < ?', values: [text, text + LAST] }),
  'id-end': (text) => {
    const length = [...text].length;
    if (length < LEAST_END) return { sql: 'false', values: [] };
    const end = [...text].slice(-LEAST_END).join('');
    return { sql: `right(id, ${LEAST_END}) = ? AND right(id, ${length}) = ?`, values: [end, text] };
  },
  title: (text) => ({
    sql: `${WITH_TITLE} substr(lower(title), 1, 500) = substr(lower(?::text COLLATE "C"), 1, 500) AND title = ?)`,
    values: [text, text],
  }),
  'title-start': (text) => ({
    sql: `${WITH_TITLE} lower(title) >= lower(?::text COLLATE "C") AND lower(title) < lower(?::text COLLATE "C"))`,
    values: [text, text + LAST],
  }),
};

/** Ids of sessions, archived ones too, by a part of what they are called. Nothing in it is a pattern. */
export async function namedIds(sql: Sql, { kind, text }: NamePart, limit: number): Promise<readonly string[]> {
  const condition = CONDITIONS[kind](text);
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM coppice.sessions WHERE space = :space AND ${condition.sql} AND state IN ('live', 'archived')
     ORDER BY id LIMIT ?`,
    ...condition.values,
    limit,
  );
  return rows.map(({ id }) => id);
}
