import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** From this version on SQLite merges the entries of a search index in another way than before. */
const NEWER = [3, 44] as const;

/** Why nothing can be tried with an older SQLite on this machine. Undefined when it can. */
export const NO_OLDER_SQLITE = whyNot();

/** What the SQLite of an older Hermes says to these statements: an error in its words, or the rows that they give. */
export function olderSqlite(home: string, sql: string): string {
  const { stdout, stderr } = spawnSync('sqlite3', ['-bail', join(home, 'state.db')], { input: sql, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}

function whyNot(): string | undefined {
  const { stdout, status } = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return 'there is no sqlite3 command';
  const [major = 0, minor = 0] = stdout.split('.').map(Number);
  const older = major === NEWER[0] && minor < NEWER[1];
  return older ? undefined : `the sqlite3 command is of version ${major}.${minor}`;
}
