import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import BetterSqlite3, { type Statement } from 'better-sqlite3';

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
