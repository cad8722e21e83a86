import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileHomeKind } from '../file-home-kind.ts';

/** Homes of Claude Code. */
export const claudeKind = fileHomeKind({
  name: 'claude-code',
  agent: 'Claude Code',
  places: (env) => [env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude')],
  mayBeHome,
  load: async () => (await import('./claude-agent.ts')).claudeAgent,
});

/** Others have a folder of that name as well, so that something must be in it, or beside it, that only Claude Code writes. */
function mayBeHome(path: string): boolean {
  const names = namesIn(path);
  if (!names.includes('projects')) return false;
  if (names.filter((name) => OWN.has(name)).length >= 2) return true;
  return namesIn(join(path, 'projects'))
    .slice(0, MOST_PROJECTS)
    .some((project) => namesIn(join(path, 'projects', project)).some((name) => SESSION.test(name)));
}

const OWN: ReadonlySet<string> = new Set([
  '.claude.json',
  '.credentials.json',
  '.last-cleanup',
  'file-history',
  'history.jsonl',
  'paste-cache',
  'session-env',
  'shell-snapshots',
  'statsig',
  'todos',
]);
const SESSION = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$/i;
/** Whether a folder is a home is asked of many that are none. */
const MOST_PROJECTS = 20;

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return [];
  }
}
