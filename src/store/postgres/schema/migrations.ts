import { randomUUID } from 'node:crypto';
import { Failure } from '../../../core/failure.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { HOME_SCHEMA } from './011-home.ts';
import { RECORDS_SCHEMA } from './011-records.ts';
import { SEARCH_SCHEMA } from './011-search.ts';
import { SPEND_SCHEMA } from './011-spend.ts';

/** By the number that the embedded store has for the same; what came before it was never on a server. Forward only. */
const MIGRATIONS: ReadonlyMap<number, readonly string[]> = new Map([
  [11, [HOME_SCHEMA, RECORDS_SCHEMA, SEARCH_SCHEMA, SPEND_SCHEMA]],
]);

export const SCHEMA_VERSION = Math.max(...MIGRATIONS.keys());

/** Brings the tables up to date, one transaction for each step; several may try at once, and one does it. */
export async function migrate(db: Database): Promise<void> {
  const before = await versionOf(db);
  if (before > SCHEMA_VERSION) throw newerSchema(db.where, before);
  if (before === 0) await makeRoom(db);
  for (const [version, statements] of MIGRATIONS) {
    if (version > before) await db.write((tx) => step(tx, version, statements));
  }
}

/** What stands before the first step: a place for its number, and what every change is noted in. */
async function makeRoom(db: Database): Promise<void> {
  await db.prepare(async (sql) => {
    await sql.run('CREATE SCHEMA IF NOT EXISTS coppice');
    await sql.run(
      'CREATE TABLE IF NOT EXISTS coppice.schema (number integer PRIMARY KEY CHECK (number = 1), version integer NOT NULL)',
    );
    await sql.run('INSERT INTO coppice.schema VALUES (1, 0) ON CONFLICT DO NOTHING');
    await sql.run(
      'CREATE TABLE IF NOT EXISTS coppice.commits (id uuid PRIMARY KEY, result text, at timestamptz NOT NULL DEFAULT now())',
    );
  });
}

async function step(tx: Sql, version: number, statements: readonly string[]): Promise<void> {
  const row = await tx.get<{ version: number }>('SELECT version FROM coppice.schema FOR UPDATE');
  if ((row?.version ?? 0) >= version) return;
  for (const text of statements.flatMap((all) => all.split(';\n'))) if (text.trim() !== '') await tx.run(text);
  await tx.run('UPDATE coppice.schema SET version = ?', version);
}

/** 0 where there is nothing yet. */
async function versionOf(db: Database): Promise<number> {
  const there = await db.get<{ name: string | null }>(`SELECT to_regclass('coppice.schema')::text AS name`);
  if ((there?.name ?? null) === null) return 0;
  return (await db.get<{ version: number }>('SELECT version FROM coppice.schema'))?.version ?? 0;
}

/** The number of a home in the database, which is made where nobody has asked for it before. */
export async function spaceNumber(db: Database, name: string): Promise<number> {
  const known = () => db.get<{ space: number }>('SELECT space FROM coppice.spaces WHERE name = ?', name);
  const found = await known();
  if (found !== undefined) return found.space;
  await db.write(async (tx) => {
    const made = await tx.get<{ space: number }>(
      'INSERT INTO coppice.spaces (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING space',
      name,
    );
    if (made === undefined) return;
    const insert = 'INSERT INTO coppice.meta (space, key_digest, key, value) VALUES (?, ?, ?, ?)';
    await tx.run(insert, made.space, digestOf('home-id'), 'home-id', randomUUID().replaceAll('-', ''));
    await tx.run('INSERT INTO coppice.search_totals VALUES (?, 0, 0)', made.space);
    await tx.run('INSERT INTO coppice.spend_turn VALUES (?)', made.space);
  });
  const made = await known();
  if (made === undefined) throw new Error(`the space ${name} was made and is not there`);
  return made.space;
}

/**
 * Has parts of words found by an index. Where the server does not have the extension, or this user may not make it, the same is found by
 * looking through all of the text.
 */
export async function indexParts(db: Database): Promise<void> {
  const row = await db.get<{ has: boolean }>(`SELECT to_regclass('coppice.search_by_part') IS NOT NULL AS has`);
  if (row?.has === true) return;
  try {
    await db.write(async (tx) => {
      await tx.run('CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA coppice');
    });
    await db.write(async (tx) => {
      await tx.get('SELECT version FROM coppice.schema FOR UPDATE');
      for (const [name, table] of TRIGRAM_INDEXES) {
        await tx.run(`CREATE INDEX IF NOT EXISTS ${name} ON coppice.${table} USING gin (folded ${await opclass(tx)})`);
      }
    });
  } catch (error) {
    // It is not installed there, or this user may not: searching works without, and takes longer.
    if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
  }
}

const TRIGRAM_INDEXES = [
  ['titles_by_part', 'titles'],
  ['archives_by_part', 'archives'],
  ['search_by_part', 'search'],
] as const;

/** The extension may be in any schema: whoever made it chose. */
async function opclass(tx: Sql): Promise<string> {
  const row = await tx.get<{ name: string }>(
    `SELECT quote_ident(nspname) || '.gin_trgm_ops' AS name FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
     WHERE extname = 'pg_trgm'`,
  );
  return row?.name ?? 'gin_trgm_ops';
}

function newerSchema(where: string, version: number): Failure {
  return new Failure(
    'integrity',
    `The database at ${where} was written by a newer Coppice (schema ${version}; this one knows up to ${SCHEMA_VERSION}).`,
    { hint: 'Nothing was changed. Update Coppice: npm install --global coppice' },
  );
}
