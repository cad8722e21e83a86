import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';
import { dieAtChange as dieAtFileChange, watchCall } from '../../src/kit/homes/die-at-change.ts';

/**
 * Carries out an act that dies before the n-th change it makes to a file or commits to a database, as a process does: nothing
 * after that point happens, and what a transaction had not committed is undone. With `programs`, before any that it starts as
 * well. True if it got so far.
 */
export function dieAtChange(
  number: number,
  act: () => Promise<unknown>,
  { programs = false }: { readonly programs?: boolean } = {},
): Promise<boolean> {
  return dieAtFileChange(number, act, (step) => [
    watchCall(BetterSqlite3.prototype, 'exec', (sql) => (sql === 'COMMIT' ? step() : undefined)),
    watchCall(statements(), 'run', (_, statement) => (commits(statement as Statement) ? step() : undefined)),
    ...(programs ? [watchCall(childProcess, 'spawn', step)] : []),
  ]);
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
  const undo = [
    watchCall(BetterSqlite3.prototype, 'exec', (sql, self) => (sql === 'COMMIT' ? step(self as Database) : undefined)),
    watchCall(statements(), 'run', (_, self) => {
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
  const undo = watchCall(fs, 'renameSync', (from) => {
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
function statements(): object {
  const db = new BetterSqlite3(':memory:');
  const statement = Object.getPrototypeOf(db.prepare('SELECT 1')) as object;
  db.close();
  return statement;
}

/** Ends a transaction, or is one by itself. */
function commits({ source, readonly, database }: Statement): boolean {
  if (source === 'COMMIT') return true;
  return !readonly && !database.inTransaction && !/^(BEGIN|SAVEPOINT)/.test(source);
}
