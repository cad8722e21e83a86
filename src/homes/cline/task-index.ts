import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { SECOND_MS } from '../../core/time.ts';
import { Failure } from '../../core/failure.ts';
import type { SharedPart } from '../../keeping/file-home/file-agent.ts';
import { readShared, replaceShared, sharedFileObstacle } from '../../keeping/file-home/replace-shared.ts';
import { type FolderLock, withFolderLock } from '../../keeping/file-home/with-folder-lock.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { copyEntry, type TaskEntries, withEntry, withoutEntry } from './task-entries.ts';

const TASKS = 'tasks';
const INDEX = '_index.json';

/** Its owner touches it while it writes, and takes one that was not touched for half a minute for left behind. */
const LOCK: FolderLock = {
  name: `${INDEX}.lock`,
  holder: 'Roo Code holds the lock of its list of tasks',
  staleMs: 60 * SECOND_MS,
};

/**
 * The list of all tasks, which Roo Code makes anew from their folders whenever it has to. Each change takes its lock and puts a whole
 * new file in place of the old one. A list that could not be written back as it is now is not changed, and no task in it leaves.
 */
export const taskIndex: SharedPart = {
  name: 'task-index',
  folder: TASKS,
  obstacle(home) {
    using above = DirectoryHandle.open(home);
    using folder = above.folder(TASKS);
    return folder && sharedFileObstacle(folder, INDEX, 'what was asked of a task');
  },
  copy: (home, id) =>
    inTasks(home, async (folder) => {
      if (!names(readShared(folder, INDEX), id)) return undefined;
      return withFolderLock(folder, LOCK, () => copyEntry(parse(readShared(folder, INDEX)).entries, id));
    }),
  takeOut: (home, id, copy) => inTasks(home, (folder) => change(folder, (entries) => withoutEntry(entries, id, copy))),
  putBack: (home, id, copy) => inTasks(home, (folder) => change(folder, (entries) => withEntry(entries, id, copy))),
};

/** Where there is no folder of tasks there is no list either. */
async function inTasks<T>(home: string, act: (folder: DirectoryHandle) => Promise<T>): Promise<T | undefined> {
  using above = DirectoryHandle.open(home);
  using folder = above.folder(TASKS);
  return folder && (await act(folder));
}

/** Whether an id stands anywhere in it. */
function names(content: Buffer, id: string): boolean {
  return content.includes(JSON.stringify(id).slice(1, -1));
}

interface Index {
  readonly entries: TaskEntries;
  /** The file with other entries in it. */
  with(entries: TaskEntries): Buffer;
}

function parse(content: Buffer): Index {
  const text = content.toString();
  const value = parsed(text);
  const list = isJsonObject(value) ? value['entries'] : value;
  if (!isList(list)) throw unknownShape();
  const whole = (entries: TaskEntries): JsonValue => (isJsonObject(value) ? { ...value, entries } : entries);
  const style = STYLES.find((write) => write(whole(list)) === text);
  if (style === undefined) throw unknownShape();
  return { entries: list, with: (entries) => Buffer.from(style(whole(entries))) };
}

/** As programs write JSON. What none of them would give again was written by a hand, or is damaged. */
const STYLES: readonly ((value: JsonValue) => string)[] = ['', 2, '\t', 4].flatMap((space) =>
  ['', '\n'].map((end) => (value: JsonValue) => JSON.stringify(value, undefined, space) + end),
);

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw unknownShape(error);
  }
}

function isList(value: JsonValue | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.every((item) => isJsonObject(item) && typeof item['id'] === 'string');
}

function unknownShape(cause?: unknown): Failure {
  return new Failure(
    'refused',
    `${TASKS}/${INDEX} is in a shape that is not known here, so nothing is taken out of it.`,
    {
      hint: 'Remove the task in its editor.',
      ...(cause !== undefined && { cause }),
    },
  );
}

/** `make` gives what is to be in it from now on, or undefined where it is to stay as it is. */
async function change(folder: DirectoryHandle, make: (entries: TaskEntries) => TaskEntries | undefined): Promise<void> {
  await withFolderLock(folder, LOCK, () => {
    const content = readShared(folder, INDEX);
    if (content.length === 0) return;
    const index = parse(content);
    const entries = make(index.entries);
    replaceShared(folder, INDEX, entries && index.with(entries));
  });
}
