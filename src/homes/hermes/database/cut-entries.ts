import type { Database } from 'better-sqlite3';
import { quoted } from '../../../platform/sqlite/row-lines.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { messageId, type TableLines } from './record-tables.ts';

/*
 * Structured content begins with a zero character. Older versions of SQLite end a text there when they split it into trigrams;
 * the one that Coppice brings goes on. An entry that one version made and the other takes out breaks the index. So whoever
 * deletes or inserts such a message first finds out how far its entry goes, and sees to it that the triggers of Hermes take out
 * exactly what is there, and that what comes back is what was there.
 */

/** The messages among these whose entries in the trigram index end at their first zero character. */
export function findCutEntries(hermes: HermesDatabase, { columns, lines }: TableLines): bigint[] {
  const ids = lines.filter((line) => line.includes('\\u0000')).map((line) => messageId(columns, line));
  const index = ids.length === 0 ? undefined : trigramIndex(hermes);
  if (index === undefined) return [];
  const { name } = index;
  const found = hermes.db.prepare(`SELECT 1 FROM ${name} WHERE ${name} MATCH ? AND rowid = ?`);
  return ids.filter((id) => {
    const sample = sampleBehindZero(index.read(id) ?? []);
    return sample !== undefined && found.get(`"${sample.replaceAll('"', '""')}"`, id) === undefined;
  });
}

/** Before messages with cut entries are deleted: from here on the triggers take out exactly what the index holds. */
export function completeEntries(hermes: HermesDatabase, ids: readonly bigint[]): void {
  replaceEntries(hermes, ids, { from: cut, to: asIs });
}

/** After such messages were inserted again: their entries end where they did. */
export function cutEntries(hermes: HermesDatabase, ids: readonly bigint[]): void {
  replaceEntries(hermes, ids, { from: asIs, to: cut });
}

function replaceEntries(hermes: HermesDatabase, ids: readonly bigint[], forms: Forms): void {
  const index = ids.length === 0 ? undefined : trigramIndex(hermes);
  for (const id of ids) index?.replace(id, forms);
}

interface Forms {
  readonly from: Form;
  readonly to: Form;
}

type Texts = readonly unknown[];
type Form = (value: unknown) => unknown;

const asIs: Form = (value) => value;
const cut: Form = (value) =>
  typeof value === 'string' && value.includes('\0') ? value.slice(0, value.indexOf('\0')) : value;

interface TrigramIndex {
  readonly name: string;
  /** What the index is about for one message. Undefined when it leaves that message out. */
  read(id: bigint): Texts | undefined;
  replace(id: bigint, forms: Forms): void;
}

/** The newer layout reads its texts from the messages; the older one has a copy of its own. */
function trigramIndex({ db }: HermesDatabase): TrigramIndex | undefined {
  const sql = db
    .prepare<[], string>(`SELECT sql FROM sqlite_master WHERE name = 'messages_fts_trigram' AND type = 'table'`)
    .pluck()
    .get();
  if (sql === undefined) return undefined;
  const name = 'messages_fts_trigram';
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(name);
  const names = columns.map(quoted).join(', ');
  const places = columns.map(() => '?').join(', ');
  const insert = (id: bigint, texts: Texts) =>
    db.prepare(`INSERT INTO ${name} (rowid, ${names}) VALUES (?, ${places})`).run(id, ...texts);
  const source = /\bcontent\s*=\s*['"]?(\w+)/.exec(sql)?.[1];
  if (source === undefined) return inlineIndex({ db }, { name, columns, insert });
  const read = textsOf(db, `SELECT ${names} FROM ${quoted(source)} WHERE id = ?`);
  return {
    name,
    read,
    replace(id, { from, to }) {
      const texts = read(id);
      if (texts === undefined) return;
      const remove = db.prepare(`INSERT INTO ${name} (${name}, rowid, ${names}) VALUES ('delete', ?, ${places})`);
      remove.run(id, ...texts.map(from));
      insert(id, texts.map(to));
    },
  };
}

/** Its own copy of the text decides what is taken out, so for a moment the copy is what the index holds. */
function inlineIndex(
  { db }: Pick<HermesDatabase, 'db'>,
  { name, columns, insert }: { name: string; columns: readonly string[]; insert: (id: bigint, texts: Texts) => void },
): TrigramIndex {
  const cells = columns.map((_, at) => `c${at}`);
  const read = textsOf(db, `SELECT ${cells.join(', ')} FROM ${name}_content WHERE id = ?`);
  const setCopy = (id: bigint, texts: Texts) => {
    // SQLite guards the tables behind an index, unless it is told that this is meant.
    db.unsafeMode(true);
    try {
      const assignments = cells.map((cell) => `${cell} = ?`).join(', ');
      db.prepare(`UPDATE ${name}_content SET ${assignments} WHERE id = ?`).run(...texts, id);
    } finally {
      db.unsafeMode(false);
    }
  };
  return {
    name,
    read,
    replace(id, { from, to }) {
      const texts = read(id);
      if (texts === undefined) return;
      setCopy(id, texts.map(from));
      db.prepare(`DELETE FROM ${name} WHERE rowid = ?`).run(id);
      insert(id, texts.map(to));
      setCopy(id, texts);
    },
  };
}

function textsOf(db: Database, sql: string): TrigramIndex['read'] {
  return (id) => db.prepare<[bigint], unknown[]>(sql).raw().get(id);
}

/** Three characters that only an entry which goes on behind the zero can have. */
function sampleBehindZero(texts: Texts): string | undefined {
  const before = texts
    .filter((text) => typeof text === 'string')
    .map((text) => text.split('\0', 1).join().toLowerCase());
  for (const text of texts) {
    if (typeof text !== 'string' || !text.includes('\0')) continue;
    const behind = [...text.slice(text.indexOf('\0')).replaceAll('\0', '')].slice(0, SAMPLED_CHARACTERS);
    for (let at = 0; at + 3 <= behind.length; at += 1) {
      const sample = behind.slice(at, at + 3).join('');
      if (!before.some((known) => known.includes(sample.toLowerCase()))) return sample;
    }
  }
  return undefined;
}

const SAMPLED_CHARACTERS = 2000;
