import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileHomeKind } from '../file-home-kind.ts';

/** Homes of pi. */
export const piKind = fileHomeKind({
  name: 'pi',
  agent: 'pi',
  // Where `PI_CODING_AGENT_DIR` says, else `~/.pi/agent`.
  places: (env) => [env['PI_CODING_AGENT_DIR'] ?? join(homedir(), '.pi', 'agent')],
  mayBeHome,
  load: async () => (await import('./pi-agent.ts')).piAgent(),
});

/** It has a folder for each working directory, named by its path between two pairs of dashes. */
function mayBeHome(path: string): boolean {
  try {
    return readdirSync(join(path, 'sessions')).some((name) => /^--.*--$/.test(name));
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return false;
  }
}
