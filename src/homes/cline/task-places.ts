import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** What editors call the folders of extensions that keep tasks so. */
export const EXTENSIONS = {
  cline: 'saoudrizwan.claude-dev',
  'roo-code': 'rooveterinaryinc.roo-cline',
  'kilo-code': 'kilocode.kilo-code',
} as const;

export type TaskKind = keyof typeof EXTENSIONS;

const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor'];
/** What editors leave on a machine that they are only connected to. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.vscodium-server', '.cursor-server'];

/** Where an extension keeps its tasks, for each of the usual editors. */
export function taskPlaces(kind: TaskKind, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const settings = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const folders = process.platform === 'darwin' ? join(homedir(), 'Library', 'Application Support') : settings;
  const users = [
    ...EDITORS.map((editor) => join(folders, editor, 'User')),
    ...SERVERS.map((server) => join(homedir(), server, 'data', 'User')),
  ];
  return users.map((user) => join(user, 'globalStorage', EXTENSIONS[kind]));
}

/** Whether an extension of this kind keeps its tasks there. Where people chose the folder, what is in it tells. */
export function keepsTasks(kind: TaskKind, path: string): boolean {
  const tasks = namesIn(join(path, 'tasks'));
  const isTask = (name: string) => namesIn(join(path, 'tasks', name)).some((file) => TASK_FILES.has(file));
  const named = Object.values<string>(EXTENSIONS).includes(basename(path));
  if (named && basename(path) !== EXTENSIONS[kind]) return false;
  const chosen: TaskKind = tasks.includes('_index.json') ? 'roo-code' : 'cline';
  return (named || kind === chosen) && tasks.slice(0, MOST_TASKS).some(isTask);
}

const TASK_FILES: ReadonlySet<string> = new Set(['api_conversation_history.json', 'ui_messages.json']);
/** Whether a folder is a home is asked of many that are none. */
const MOST_TASKS = 50;

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // No such folder, or one that cannot be read: whoever opens it says what is wrong.
    return [];
  }
}
