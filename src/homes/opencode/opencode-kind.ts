import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { isThere } from '../../platform/files/is-there.ts';
import { fileHomeKind } from '../file-home-kind.ts';
import { isDatabaseName } from './opencode-places.ts';

/** Homes of opencode. */
export const opencodeKind = fileHomeKind({
  name: 'opencode',
  agent: 'opencode',
  places: (env) => [join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'opencode')],
  mayBeHome,
  load: async () => (await import('./opencode-agent.ts')).opencodeAgent(),
  reasons: async (path) => (await import('./opencode-schema.ts')).opencodeReasons(path, process.env['OPENCODE_DB']),
});

function mayBeHome(path: string): boolean {
  try {
    if (isThere(join(path, 'opencode.db'))) return true;
    // Where only a preview was ever used. Whoever looks for homes asks of many folders, and few of them are called so.
    return basename(path) === 'opencode' && readdirSync(path).some(isDatabaseName);
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return false;
  }
}
