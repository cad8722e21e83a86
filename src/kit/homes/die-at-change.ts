import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type Calls = Record<string, (...args: unknown[]) => unknown>;

/** Calls `step` before something else that a process can change. Returns what undoes that. */
export type WatchMore = (step: () => void) => readonly (() => void)[];

/**
 * Carries out an act that dies before the n-th change it makes to files, as a process does: nothing after that point happens. True when
 * it got so far. It works on the functions of `node:fs` themselves, for the whole process, so nothing else may be at work meanwhile.
 * Changes of databases are not among them; `more` can add those.
 */
export async function dieAtChange(number: number, act: () => Promise<unknown>, more?: WatchMore): Promise<boolean> {
  let count = 0;
  const step = () => {
    count += 1;
    if (count >= number) throw new Died('died');
  };
  const undo = [...watchCalls(fs, CHANGES, step), ...watchCalls(fs.promises, PROMISED_CHANGES, step)];
  undo.push(...(more?.(step) ?? []));
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

class Died extends Error {}

const CHANGES = [
  'renameSync',
  'mkdirSync',
  'rmSync',
  'rmdirSync',
  'unlinkSync',
  'linkSync',
  'symlinkSync',
  'copyFileSync',
  'truncateSync',
  'ftruncateSync',
  'writeSync',
  'appendFileSync',
  'writeFileSync',
] as const;

const PROMISED_CHANGES = [
  'rename',
  'mkdir',
  'rm',
  'rmdir',
  'unlink',
  'link',
  'symlink',
  'copyFile',
  'truncate',
  'appendFile',
  'writeFile',
] as const;

function watchCalls(target: object, names: readonly string[], step: () => void): readonly (() => void)[] {
  return names.map((name) => watchCall(target, name, step));
}

/** Calls `before` before a method of an object, with its first argument and what it is called on. Returns what undoes that. */
export function watchCall(target: object, name: string, before: (first: unknown, self: unknown) => void): () => void {
  const calls = target as Calls;
  const real = calls[name];
  if (real === undefined) throw new Error(`There is no ${name} to watch.`);
  calls[name] = function (this: unknown, ...args: unknown[]) {
    before(args[0], this);
    return real.apply(this, args);
  };
  return () => {
    calls[name] = real;
  };
}
