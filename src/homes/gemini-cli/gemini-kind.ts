import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileHomeKind } from '../file-home-kind.ts';

/** Homes of Gemini CLI. */
export const geminiKind = fileHomeKind({
  name: 'gemini-cli',
  agent: 'Gemini CLI',
  // Its variable names what it takes for the home of the person, in which it has a folder.
  places: (env) => [join(env['GEMINI_CLI_HOME'] ?? homedir(), '.gemini')],
  mayBeHome,
  load: async () => (await import('./gemini-agent.ts')).geminiAgent(),
});

/** Other programs keep things in a folder of that name too, so that a project with chats must be in it. */
function mayBeHome(path: string): boolean {
  return namesIn(join(path, 'tmp'))
    .slice(0, MOST_PROJECTS)
    .some((project) => {
      const names = namesIn(join(path, 'tmp', project));
      return names.includes('chats') && (names.some((name) => OWN.has(name)) || LEGACY.test(project));
    });
}

/** What lies beside the chats of a project. */
const OWN: ReadonlySet<string> = new Set(['.project_root', 'logs.json', 'shell_history', 'tool-outputs']);
/** Earlier versions named a project by the SHA-256 of its path. */
const LEGACY = /^[0-9a-f]{64}$/;
/** Whether a folder is a home is asked of many that are none. */
const MOST_PROJECTS = 200;

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return [];
  }
}
