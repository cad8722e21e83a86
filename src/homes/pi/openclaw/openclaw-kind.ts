import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileHomeKind } from '../../file-home-kind.ts';
import { openclawDatabases } from './openclaw-places.ts';

/** Homes of OpenClaw, which came out of pi. They are shown and read, and never changed. */
export const openclawKind = fileHomeKind({
  name: 'openclaw',
  agent: 'OpenClaw',
  places: (env) => [env['OPENCLAW_STATE_DIR'] ?? join(homedir(), '.openclaw')],
  mayBeHome,
  load: async () => (await import('./openclaw-agent.ts')).openclawAgent(),
  async reasons() {
    const message = 'Its sessions are rows of databases, and only its gateway knows all that belongs to one.';
    const hint = 'Have OpenClaw cut itself back: openclaw sessions cleanup --dry-run shows what that would do.';
    return [{ kind: 'through-owner', subject: 'agents', message, hint }];
  },
});

function mayBeHome(path: string): boolean {
  try {
    return readdirSync(path).includes('agents') && openclawDatabases(path).length > 0;
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return false;
  }
}
