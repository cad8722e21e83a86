import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileHomeKind } from '../file-home-kind.ts';
import { CODEX } from './codex-names.ts';

/** Homes of Codex. */
export const codexKind = fileHomeKind({
  name: CODEX,
  agent: 'Codex',
  places: (env) => [env['CODEX_HOME'] ?? join(homedir(), '.codex')],
  mayBeHome,
  reasons: async (path) => (await import('./codex-reasons.ts')).reasonsToOnlyShow(path),
  load: async () => (await import('./codex-agent.ts')).codexAgent(),
});

/** Others have a folder of that name as well, so that something must be beside it that only Codex writes. */
function mayBeHome(path: string): boolean {
  const names = namesIn(path);
  if (!names.some((name) => ROLLOUTS.has(name))) return false;
  if (names.some((name) => OWN.test(name))) return true;
  return namesIn(join(path, 'sessions')).some((name) => /^20\d\d$/.test(name)) && names.includes('config.toml');
}

const ROLLOUTS: ReadonlySet<string> = new Set(['sessions', 'archived_sessions']);
const OWN =
  /^(thread-writer-locks|shell_snapshots|session_index\.jsonl|installation_id|state_\d+\.sqlite|version\.json)$/;

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return [];
  }
}
