import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileHomeKind } from '../file-home-kind.ts';

/** Homes of Copilot CLI. */
export const copilotKind = fileHomeKind({
  name: 'copilot',
  agent: 'Copilot CLI',
  places: (env) => [env['COPILOT_HOME'] ?? join(homedir(), '.copilot')],
  mayBeHome,
  load: async () => (await import('./copilot-agent.ts')).copilotAgent(),
});

/**
 * It has a folder for each session, with the events of it and a note about where it works. One from which all sessions were taken is known by
 * what is beside them: they must find back.
 */
function mayBeHome(path: string): boolean {
  const names = namesIn(path);
  if (!names.includes('session-state')) return false;
  if (names.some((name) => BESIDE.has(name))) return true;
  const folder = join(path, 'session-state');
  return namesIn(folder)
    .slice(0, MOST_SESSIONS)
    .some((name) => namesIn(join(folder, name)).some((file) => OWN.has(file)));
}

/** The database of all sessions, and what Coppice keeps about a home. */
const BESIDE: ReadonlySet<string> = new Set(['session-store.db', '.coppice']);
const OWN: ReadonlySet<string> = new Set(['events.jsonl', 'workspace.yaml']);
/** Whether a folder is a home is asked of many that are none. */
const MOST_SESSIONS = 50;

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return [];
  }
}
