import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';

/** What a daemon has open for as long as it lives. */
const OPEN_FILES = ['state.db', 'live.db', 'serve.lock.db'];
/**
 * What SQLite has open beside them. Whoever opens the database once one of these is gone makes another, and the two write over each other.
 * They stay for as long as anybody has the database open, and on some file systems there are none.
 */
const BESIDE = ['state.db-wal', 'state.db-shm', 'live.db-wal', 'live.db-shm'];

/**
 * Remembers which files a home consists of now. What is returned throws when one of them is no longer the same: whatever is written
 * goes to a file that nobody will find, so the only way on is to stop. Nothing is opened, because that would take SQLite's locks away.
 */
export function filesInPlace(homePath: string): () => void {
  const seen = new Map<string, string>();
  const look = (): string | undefined => [...OPEN_FILES, ...BESIDE].find((name) => isAnother(name));
  const isAnother = (name: string): boolean => {
    const mark = markOf(join(homePath, name));
    const known = seen.get(name);
    if (known === undefined && mark !== undefined) seen.set(name, mark);
    return known !== undefined && known !== mark;
  };
  look();
  return () => {
    const lost = look();
    if (lost !== undefined) throw taken(lost);
  };
}

/** The same for a file as long as it exists, whatever it holds. */
function markOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}

function taken(name: string): Failure {
  return new Failure('failed', `${name} of this home was moved or removed while the daemon had it open.`, {
    hint: BESIDE.includes(name)
      ? 'Do not put it back: what it held was moved into the database. Start again with: coppice serve'
      : 'Put it back if it was moved: what was stored in the last second went there. Then start again with: coppice serve',
  });
}
