import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FoundSession, OtherFiles, SessionPart, SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { recentlyUsed } from '../../keeping/file-home/recently-used.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { type Favourites, readFavourites } from './favourites.ts';
import { ITEM, readTaskHead, TALK, type TaskHead } from './task-head.ts';

/** Others get a turn after so many tasks were looked into. */
const TURN_TASKS = 100;

/** Sorts a home of tasks: a folder for each, with the talk and all that belongs to it. */
export async function sortTasks(tree: HomeTree, now: EpochMs): Promise<SortedHome> {
  const favourites = await readFavourites(tree.home);
  const drafts = draftTasks(tree);
  const problems: Problem[] = [...favourites.problems];
  const heads = new Map<string, TaskHead>();
  for (const [id, { talk, item }] of drafts) {
    if (heads.size % TURN_TASKS === 0) await setImmediate();
    if (talk === undefined) continue;
    const head = headOf(tree.home, id, item !== undefined);
    if (head.trouble !== undefined) problems.push(damaged(id, head.trouble));
    heads.set(id, head);
  }
  const around = { now, favourites, children: childrenOf(heads), odd: oddTasks(tree) };
  const sessions = [...heads].map(([id, head]) => taskOf(drafts.get(id) ?? new TaskDraft(id), head, around));
  const left = [...drafts.values()].filter(({ talk }) => talk === undefined).flatMap(({ files }) => files);
  const others = [{ name: 'task-without-talk', files: left, unbounded: true }, ...othersIn(tree)];
  return { sessions, strays: [], others: others.filter(({ files }) => files.length > 0), problems, doubts: [] };
}

class TaskDraft {
  readonly id: string;
  readonly files: TreeFile[] = [];
  talk: TreeFile | undefined;
  item: TreeFile | undefined;

  constructor(id: string) {
    this.id = id;
  }
}

/** Names of folders of tasks are ids. One that begins with a dot is none. */
const IN_TASK = /^tasks\/([^/.][^/]*)\/(.+)$/;

function draftTasks({ files }: HomeTree): ReadonlyMap<string, TaskDraft> {
  const drafts = new Map<string, TaskDraft>();
  for (const file of files.values()) {
    const [, id, name] = IN_TASK.exec(file.path) ?? [];
    if (id === undefined) continue;
    const draft = drafts.get(id) ?? new TaskDraft(id);
    drafts.set(id, draft);
    draft.files.push(file);
    if (name === TALK) draft.talk = file;
    else if (name === ITEM) draft.item = file;
  }
  return drafts;
}

function headOf(home: string, id: string, hasItem: boolean): TaskHead {
  try {
    return readTaskHead(join(home, 'tasks', id), hasItem);
  } catch (error) {
    return { trouble: `cannot be read: ${errorSentence(error).replace(/\.$/, '')}` };
  }
}

/** By the id of a task, one that it started: that one gives its result back to it when it ends. */
function childrenOf(heads: ReadonlyMap<string, TaskHead>): ReadonlyMap<string, string> {
  return new Map([...heads].flatMap(([id, { parentId }]) => (parentId === undefined ? [] : [[parentId, id]])));
}

/** Tasks in whose folders there is a link, or something that cannot be looked at. */
function oddTasks({ odd, unreadable }: HomeTree): ReadonlySet<string> {
  return new Set([...odd, ...unreadable].flatMap((path) => IN_TASK.exec(path)?.[1] ?? []));
}

interface Around {
  readonly now: EpochMs;
  readonly favourites: Favourites;
  readonly children: ReadonlyMap<string, string>;
  readonly odd: ReadonlySet<string>;
}

function taskOf({ id, talk, files }: TaskDraft, head: TaskHead, around: Around): FoundSession {
  const transcripts = talk === undefined ? [] : [talk];
  const parts = partsOf(id, files);
  const hold = holdOf(id, around);
  return {
    id,
    transcripts,
    parts,
    active: recentlyUsed({ transcripts, parts }, around.now),
    pinned: head.item?.['isFavorited'] === true || around.favourites.ids.has(id),
    ...(head.parentId !== undefined && { parentId: head.parentId }),
    ...(hold !== undefined && { hold }),
    ...(head.trouble !== undefined && { unreadable: true }),
  };
}

function holdOf(id: string, { favourites, children, odd }: Around): SessionHold | undefined {
  if (favourites.problems.length > 0 || odd.has(id)) return { kind: 'report-only' };
  const by = children.get(id);
  return by === undefined ? undefined : { kind: 'referenced', by };
}

/** Everything beside the talk, each folder in one piece: its own repository of checkpoints is one of them. */
function partsOf(id: string, files: readonly TreeFile[]): SessionPart[] {
  const byPath = new Map<string, TreeFile[]>();
  const start = `tasks/${id}/`;
  for (const file of files) {
    const name = file.path.slice(start.length).split('/', 1).join();
    if (name === TALK) continue;
    const path = start + name;
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [file]);
    else known.push(file);
  }
  return [...byPath].map(([path, own]) => ({ path, files: own, sparable: false }));
}

/** The rest of what such an extension is known to write. What is not here is unknown. */
const OTHERS: readonly (readonly [name: string, fits: RegExp, unbounded: boolean])[] = [
  ['task-index', /^tasks\/_index\.json/, false],
  ['task-history', /^state\/taskHistory\.json$/, true],
  ['settings', /^settings\//, false],
  ['cache', /^cache\//, false],
  // Repositories of whole folders, which earlier versions shared between tasks.
  ['shared-checkpoints', /^checkpoints\//, true],
];

function othersIn({ files }: HomeTree): OtherFiles[] {
  const all = [...files.values()];
  return OTHERS.map(([name, fits, unbounded]) => {
    return { name, files: all.filter(({ path }) => fits.test(path)), unbounded };
  });
}

function damaged(id: string, why: string): Problem {
  return { kind: 'unreadable', subject: id, message: `The task ${id} ${why}. It is left alone.` };
}
