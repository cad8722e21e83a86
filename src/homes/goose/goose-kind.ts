import { homedir } from 'node:os';
import { join } from 'node:path';
import { isThere } from '../../platform/files/is-there.ts';
import { fileHomeKind } from '../file-home-kind.ts';

/** Homes of Goose. They are shown and read, and never changed. */
export const gooseKind = fileHomeKind({
  name: 'goose',
  agent: 'Goose',
  places(env) {
    const root = env['GOOSE_PATH_ROOT'];
    const data = env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share');
    return [root === undefined ? join(data, 'goose') : join(root, 'data')];
  },
  mayBeHome,
  load: async () => (await import('./goose-agent.ts')).gooseAgent(),
  async reasons() {
    const message = 'Its sessions are rows of a database, and only Goose knows all that belongs to one.';
    const hint = 'Remove one with its own command: goose session remove';
    return [{ kind: 'through-owner', subject: 'sessions/sessions.db', message, hint }];
  },
});

function mayBeHome(path: string): boolean {
  try {
    return isThere(join(path, 'sessions', 'sessions.db'));
  } catch {
    // What cannot be looked at is said by whoever opens it.
    return false;
  }
}
