import { LEAST_END, type NamePart } from '../../../core/sessions/session-names.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';

const CONDITIONS: Readonly<Record<NamePart['kind'], string>> = {
  'id-start': 'substr(id, 1, length(?1)) = ?1',
  'id-end': `substr(id, -length(?1)) = ?1 AND length(?1) >= ${LEAST_END}`,
  title: 'title = ?1 COLLATE BINARY',
  'title-start': 'substr(title, 1, length(?1)) = ?1 COLLATE NOCASE',
};

/** Ids of sessions by a part of what they are called. Nothing in it is a pattern. */
export function namedIds({ db, tables }: HermesDatabase, { kind, text }: NamePart, limit: number): readonly string[] {
  if (kind.startsWith('title') && tables.get('sessions')?.has('title') !== true) return [];
  return db
    .prepare<[string, number], string>(
      `SELECT id FROM sessions WHERE typeof(id) = 'text' AND ${CONDITIONS[kind]} ORDER BY id LIMIT ?2`,
    )
    .pluck()
    .all(text, limit);
}
