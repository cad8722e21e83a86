import { statSync } from 'node:fs';

/** A word that changes with what is in databases: each change of one changes its size or its time, or that of its log. */
export function databaseStamp(databases: readonly string[]): string {
  return databases.flatMap((path) => [look(path), look(`${path}-wal`)]).join(' ');
}

function look(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined || stat.size === 0n ? '-' : [stat.ino, stat.size, stat.mtimeNs].join(':');
}
