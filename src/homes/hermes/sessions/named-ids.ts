import { LEAST_END, type NamePart } from '../../../core/sessions/session-names.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';

const CONDITIONS: Readonly<Record<NamePart['kind'], string>> = {
  'id-start': 'substr(id, 1, length(@text)) = @text',
  'id-end': `substr(id, -length(@text)) = @text AND length(@text) >= ${LEAST_END}`,
  title: 'title = @text COLLATE BINARY',
  'title-start': 'substr(title, 1, length(@text)) = @text COLLATE NOCASE',
};

/** Ids of sessions by a part of what they are called. Nothing in it is a pattern. */
export function namedIds({ db, tables }: HermesDatabase, { kind, text }: NamePart, limit: number): readonly string[] {
  if (kind.startsWith('title') && tables.get('sessions')?.has('title') !== true) return [];
  return db
    .prepare<[{ text: string; limit: number }], string>(
      `SELECT id FROM sessions WHERE typeof(id) = 'text' AND ${CONDITIONS[kind]} ORDER BY id LIMIT @limit`,
    )
    .pluck()
    .all({ text, limit });
}
