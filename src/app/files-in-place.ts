import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/failure.ts';

/** What a daemon has open for as long as it lives. */
const OPEN_FILES = ['state.db', 'live.db', 'serve.lock.db'];

/**
 * Remembers which files a home consists of now. What is returned throws when one of them is no longer the same: whatever is written
 * goes to a file that nobody will find, so the only way on is to stop. Nothing is opened, because that would take SQLite's locks away.
 */
export function filesInPlace(homePath: string): () => void {
  const seen = OPEN_FILES.map((name) => ({ name, mark: markOf(join(homePath, name)) }));
  return () => {
    const lost = seen.find(({ name, mark }) => markOf(join(homePath, name)) !== mark);
    if (lost !== undefined) throw taken(lost.name);
  };
}

/** The same for a file as long as it exists, whatever it holds. */
function markOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}

function taken(name: string): Failure {
  return new Failure('failed', `${name} of this home was moved or removed while the daemon had it open.`, {
    hint: 'Put it back if it was moved: what was stored in the last second went there. Then start again with: coppice serve',
  });
}
