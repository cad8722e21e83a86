import { LEAST_END, type NamePart } from '../../../core/sessions/session-names.ts';
import type { Connection } from '../database/connection.ts';

/** Comes after every other character. */
const LAST = '\u{10ffff}';

const CONDITIONS: Readonly<Record<NamePart['kind'], string>> = {
  'id-start': 'id >= :text AND id < :below',
  'id-end': `substr(id, -${LEAST_END}) = substr(:text, -${LEAST_END}) AND substr(id, -:length) = :text AND :length >= ${LEAST_END}`,
  title: 'title = :text COLLATE NOCASE AND title = :text',
  'title-start': 'title >= :text COLLATE NOCASE AND title < :below COLLATE NOCASE',
};

interface Given {
  readonly text: string;
  readonly below: string;
  readonly length: number;
  readonly limit: number;
}

/** Ids of sessions, archived ones too, by a part of what they are called. Nothing in it is a pattern. Each way has an index. */
export function namedIds(db: Connection, { kind, text }: NamePart, limit: number): readonly string[] {
  return db
    .sql<[Given], string>(
      `SELECT id FROM sessions WHERE ${CONDITIONS[kind]} AND state IN ('live', 'archived') LIMIT :limit`,
    )
    .pluck()
    .all({ text, below: text + LAST, length: [...text].length, limit });
}
