import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';

class Died extends Error {}

/**
 * Carries out an act that dies before the n-th change it makes to a file or commits to a database, as a process does: nothing
 * after that point happens, and what a transaction had not committed is undone. With `programs`, before any that it starts as
 * well. True if it got so far.
 */
export async function dieAtChange(
  number: number,
  act: () => Promise<unknown>,
  { programs = false }: { readonly programs?: boolean } = {},
): Promise<boolean> {
  let count = 0;
  const step = () => {
    count += 1;
    if (count >= number) throw new Died('died');
  };
  const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const undo = CHANGES.map((name) => replace(calls, name, () => step()));
  const promised = fs.promises as unknown as typeof calls;
  undo.push(...PROMISED_CHANGES.map((name) => replace(promised, name, () => step())));
  const database = BetterSqlite3.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  undo.push(replace(database, 'exec', (sql) => (sql === 'COMMIT' ? step() : undefined)));
  undo.push(replace(statements(), 'run', (_, statement) => (commits(statement as Statement) ? step() : undefined)));
  const starts = childProcess as unknown as Record<string, (...args: unknown[]) => unknown>;
  if (programs) undo.push(replace(starts, 'spawn', () => step()));
  syncBuiltinESMExports();
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  } finally {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  }
  return count >= number;
}

/**
 * Carries out an act in which the database refuses the n-th change of a row or commit of a transaction, as it does when a trigger,
 * a key or a page stops it, and goes on. True if it got so far.
 */
export async function refuseAtStatement(
  { number, code }: { readonly number: number; readonly code: string },
  act: () => Promise<unknown>,
): Promise<boolean> {
  let count = 0;
  const step = ({ name }: Database) => {
    if (!name.endsWith(join('hermes', 'state.db'))) return;
    count += 1;
    if (count === number) throw new BetterSqlite3.SqliteError('refused by the test', code);
  };
  const database = BetterSqlite3.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const undo = [
    replace(database, 'exec', (sql, self) => (sql === 'COMMIT' ? step(self as Database) : undefined)),
    replace(statements(), 'run', (_, self) => {
      const { readonly, source, database: of } = self as Statement;
      if (!readonly && of.inTransaction && !/^(COMMIT|ROLLBACK)/.test(source)) step(of);
    }),
  ];
  try {
    await act();
  } finally {
    for (const restore of undo) restore();
  }
  return count >= number;
}

/** Carries out an act in which files whose path has this text in it cannot be moved. */
export async function refuseMoves<T>(text: string, code: string, act: () => Promise<T>): Promise<T> {
  const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const undo = replace(calls, 'renameSync', (from) => {
    if (String(from).includes(text)) throw Object.assign(new Error(`${code}: refused by the test`), { code });
  });
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    undo();
    syncBuiltinESMExports();
  }
}

/** What every prepared statement inherits from. */
function statements(): Record<string, (...args: unknown[]) => unknown> {
  const db = new BetterSqlite3(':memory:');
  const statement: unknown = Object.getPrototypeOf(db.prepare('SELECT 1'));
  db.close();
  return statement as Record<string, (...args: unknown[]) => unknown>;
}

/** Ends a transaction, or is one by itself. */
function commits({ source, readonly, database }: Statement): boolean {
  if (source === 'COMMIT') return true;
  return !readonly && !database.inTransaction && !/^(BEGIN|SAVEPOINT)/.test(source);
}

const CHANGES = [
  'renameSync',
  'mkdirSync',
  'rmSync',
  'rmdirSync',
  'unlinkSync',
  'linkSync',
  'writeSync',
  'appendFileSync',
  'writeFileSync',
] as const;

const PROMISED_CHANGES = ['unlink', 'rmdir'] as const;

function replace(
  target: Record<string, (...args: unknown[]) => unknown>,
  name: string,
  before: (first: unknown, self: unknown) => void,
): () => void {
  const real = target[name];
  if (real === undefined) throw new Error(`no ${name}`);
  target[name] = function (this: unknown, ...args: unknown[]) {
    before(args[0], this);
    return real.apply(this, args);
  };
  return () => {
    target[name] = real;
  };
}
