import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * Whether another process has a database open, by the numbers of its files and not by their names. `unknown` where the system
 * does not tell about every process: then one may.
 */
export function otherHolders(database: string): 'none' | 'some' | 'unknown' {
  if (process.platform !== 'linux') return 'unknown';
  const files = new Set(
    ['', '-wal', '-shm', '-journal'].flatMap((suffix) => {
      const mark = markOf(database + suffix);
      return mark === undefined ? [] : [mark];
    }),
  );
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  let unknown = false;
  for (const pid of pids) {
    const open = openFiles(pid);
    if (open === undefined) unknown = true;
    else if (open.some((mark) => files.has(mark))) return 'some';
  }
  return unknown ? 'unknown' : 'none';
}

/**
 * Whether another process has it open, as far as that can be told. Who may not look at every process asks for locks: whoever has read a
 * database with a log, or is at work in another one, holds one for as long as it has it open.
 */
export function databaseUse(database: string): 'open' | 'closed' | 'unknown' {
  const holders = otherHolders(database);
  if (holders !== 'unknown') return holders === 'some' ? 'open' : 'closed';
  return isLockedByOthers(database) ? 'open' : 'unknown';
}

/** File systems number their devices differently for locks, so the number of the file alone counts. That another one has it only keeps more. */
function isLockedByOthers(database: string): boolean {
  const numbers = new Set(
    ['', '-wal', '-shm', '-journal'].flatMap((suffix) => {
      const stat = statSync(database + suffix, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? [] : [String(stat.ino)];
    }),
  );
  return lockLines().some((line) => {
    const [, pid, , number] = /\s(\d+)\s+([0-9a-f]+:[0-9a-f]+):(\d+)\s/.exec(line) ?? [];
    return number !== undefined && numbers.has(number) && Number(pid) !== process.pid;
  });
}

/** One for each lock. Only Linux tells. */
function lockLines(): readonly string[] {
  try {
    return readFileSync('/proc/locks', 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Undefined when the process may not be looked at. One that is gone has nothing open. */
function openFiles(pid: string): string[] | undefined {
  const directory = join('/proc', pid, 'fd');
  try {
    return readdirSync(directory).flatMap((fd) => markOf(join(directory, fd)) ?? []);
  } catch (error) {
    return ['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '') ? [] : undefined;
  }
}

/** Looks without opening: opening and closing a database here would drop the locks of this process. */
function markOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
