import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { Failure } from '../../core/failure.ts';
import type { SharedPart } from '../../keeping/file-home/file-agent.ts';
import { readShared, replaceShared, sharedFileObstacle } from '../../keeping/file-home/replace-shared.ts';
import {
  contentOf,
  copyLines,
  linesOf,
  names,
  type SharedLines,
  withCopy,
  withoutCopy,
} from '../../keeping/shared-lines/owned-lines.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';

const LOG = 'logs.json';
const KEYS = { owner: 'sessionId', time: 'timestamp' };

/**
 * What people typed, of all sessions of a project in one list. Gemini CLI writes all of it anew for each prompt and takes no lock, so that
 * nothing is changed while it is at work there. Each change puts a whole new file in place of the old one. A list that could not be
 * written back as it is now is not changed, and no session in it leaves.
 */
export const promptLog: SharedPart = {
  name: 'prompt-log',
  async copy(home, id) {
    const copies: Record<string, string> = {};
    inProjects(home, (folder, project) => {
      const content = readShared(folder, LOG);
      const copy = names(content, id) ? copyLines(linesIn(content, project), id, KEYS) : undefined;
      if (copy === undefined) return;
      const obstacle = sharedFileObstacle(folder, LOG, 'the prompts of the session');
      if (obstacle !== undefined) throw new Failure('refused', `In tmp/${project}, ${obstacle}`, { hint: KEPT });
      copies[project] = copy;
    });
    return Object.keys(copies).length === 0 ? undefined : JSON.stringify({ version: 1, projects: copies });
  },
  takeOut: (home, _, copy) => change(home, copy, withoutCopy),
  putBack: (home, _, copy) => change(home, copy, (lines, own) => withCopy(lines, own, KEYS)),
};

const KEPT = 'Nothing of the session was changed.';

type Change = (lines: SharedLines, copy: string) => SharedLines;

async function change(home: string, copy: string, make: Change): Promise<void> {
  // A copy is read by the version that wrote it or a later one; it lay in a trash that nobody else writes.
  const { projects } = JSON.parse(copy) as { readonly projects: Readonly<Record<string, string>> };
  inProjects(home, (folder, project) => {
    const own = Object.hasOwn(projects, project) ? projects[project] : undefined;
    if (own === undefined) return;
    const content = readShared(folder, LOG);
    const before = linesIn(content, project);
    const after = make(before, own);
    replaceShared(folder, LOG, after.length === before.length ? undefined : listOf(after));
  });
}

/** Links are no folders of projects. */
function inProjects(home: string, act: (folder: DirectoryHandle, project: string) => void): void {
  using above = DirectoryHandle.open(home);
  using projects = above.folder('tmp');
  for (const project of projects?.names() ?? []) {
    if (projects?.look(project)?.isDirectory() !== true) continue;
    using folder = projects.folder(project);
    if (folder !== undefined) act(folder, project);
  }
}

/** Each entry of the list as a line, for who handles lines. Where there is no list there are none. */
function linesIn(content: Buffer, project: string): SharedLines {
  if (content.length === 0) return [];
  const text = content.toString();
  const list = parsed(text);
  // As the program writes it, and it alone. What it would not give again was written by a hand, or is damaged.
  if (list === undefined || JSON.stringify(list, undefined, 2) !== text) throw unknownShape(project);
  return linesOf(Buffer.from(list.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
}

function listOf(lines: SharedLines): Buffer {
  const entries = contentOf(lines).toString().split('\n').filter(Boolean);
  return Buffer.from(
    JSON.stringify(
      entries.map((line) => JSON.parse(line) as JsonValue),
      undefined,
      2,
    ),
  );
}

function parsed(text: string): readonly JsonObject[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unknownShape(project: string): Failure {
  const message = `The list tmp/${project}/${LOG} is in a shape that is not known here, so nothing is taken out of it.`;
  return new Failure('refused', message, { hint: `${KEPT} Remove the session in Gemini CLI: gemini --delete-session` });
}
