import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FoundStray } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { RECENT_MS } from '../../keeping/file-home/recently-used.ts';
import { whyUnread } from '../../keeping/row-home/why-unread.ts';
import { type NamedByRows, namedByRows } from './named-by-rows.ts';
import { storeWorktree } from './store-worktree.ts';

/** What is left over in a home, and what kept anybody from telling. */
export interface Leftovers {
  readonly strays: readonly FoundStray[];
  readonly problems: readonly Problem[];
}

/**
 * What no row names, in a shape that is known, a day after anything in it was written: outputs of tools, the changes of sessions that are
 * gone, packs that git never finished, and stores of snapshots of projects that no row knows.
 */
export async function findLeftovers(tree: HomeTree, now: EpochMs): Promise<Leftovers> {
  const old = [...tree.files.values()].filter(({ modifiedAt }) => modifiedAt <= now - RECENT_MS);
  const outputs = old.filter(({ path }) => OUTPUT.test(path));
  const packs = old.filter(({ path }) => UNFINISHED_PACK.test(path)).map((file) => alone('debris', file));
  let named: NamedByRows | undefined;
  try {
    named = await namedByRows(tree.home, outputs.length > 0);
  } catch (error) {
    return { strays: [], problems: [unread(whyUnread(error))] };
  }
  if (named === undefined) return { strays: [], problems: [] };
  const older = namedByFiles(tree);
  const known = older.hasTalk ? new Set(outputs.map(({ path }) => nameIn(path))) : named.outputs;
  const sessions = new Set([...named.sessions, ...older.sessions]);
  const projects = new Set([...named.projects, ...older.projects]);
  const unnamed = known === undefined ? [] : outputs.filter(({ path }) => !known.has(nameIn(path)));
  const diffs = old.filter(({ path }) => {
    const id = SESSION_DIFF.exec(path)?.[1];
    return id !== undefined && !sessions.has(id);
  });
  const stores = storesIn(tree).filter((store) => isLeft(store, { tree, projects, folders: named.folders, now }));
  const inStores = new Set(stores.flatMap(({ files }) => files.map(({ path }) => path)));
  const others = [...unnamed, ...diffs].map((file) => alone('orphan', file));
  const strays = [...others, ...stores, ...packs.filter(({ path }) => !inStores.has(path))];
  return { strays, problems: known === undefined ? [tooLarge()] : [] };
}

const OUTPUT = /^tool-output\/tool_[0-9A-Za-z]+$/;
const SESSION_DIFF = /^storage\/session_diff\/(ses_[0-9A-Za-z]+)\.json$/;
/** What git leaves behind when it dies while it packs. It reads none of it again, and gives it a name only once it is complete. */
const UNFINISHED_PACK = /^snapshot\/.+\/objects\/pack\/tmp_(?:pack|idx|rev)_[0-9A-Za-z]+$/;
/** A store of snapshots of one project, which is called by its first commit. */
const IN_STORE = /^(snapshot\/([0-9a-f]{40}))\/./;

function alone(kind: FoundStray['kind'], file: TreeFile): FoundStray {
  return { kind, path: file.path, files: [file] };
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function storesIn({ files }: HomeTree): readonly FoundStray[] {
  const stores = new Map<string, TreeFile[]>();
  for (const file of files.values()) {
    const [, store] = IN_STORE.exec(file.path) ?? [];
    if (store === undefined) continue;
    const known = stores.get(store);
    if (known === undefined) stores.set(store, [file]);
    else known.push(file);
  }
  return [...stores].map(([path, of]) => ({ kind: 'orphan', path, files: of }));
}

/** Sessions and projects of older versions, which were files, and may not have become rows. */
function namedByFiles({ files }: HomeTree) {
  const [sessions, projects] = [new Set<string>(), new Set<string>()];
  let hasTalk = false;
  for (const path of files.keys()) {
    const [, project = '', session = ''] = OLDER_SESSION.exec(path) ?? [];
    sessions.add(session);
    projects.add(project).add(OLDER_PROJECT.exec(path)?.[1] ?? '');
    hasTalk ||= path.startsWith('storage/part/');
  }
  return { sessions, projects, hasTalk };
}

const OLDER_SESSION = /^storage\/session\/([^/]+)\/(ses_[^/]+)\.json$/;
const OLDER_PROJECT = /^storage\/project\/([^/]+)\.json$/;

interface Around {
  readonly tree: HomeTree;
  readonly projects: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly now: EpochMs;
}

/** No row knows its project, nor the folder that it is of, and git was not at work in it. */
function isLeft({ path, files }: FoundStray, { tree, projects, folders, now }: Around): boolean {
  if (projects.has(nameIn(path)) || files.some(({ modifiedAt }) => modifiedAt > now - RECENT_MS)) return false;
  if (files.some(({ path: of }) => LOCK.test(of))) return false;
  const configs = files.filter(({ path: of }) => CONFIG.test(of));
  // Each repository in it says of which folder it is; one that does not is not understood.
  const worktrees = configs.map(({ path: of }) => storeWorktree(join(tree.home, of)));
  return worktrees.length > 0 && worktrees.every((folder) => folder !== undefined && !folders.has(folder));
}

const LOCK = /\/(?:gc\.pid|[^/]+\.lock)$/;
const CONFIG = /^snapshot\/[0-9a-f]{40}\/(?:[0-9a-f]{40}\/)?config$/;

function unread(why: string): Problem {
  const message = `What the rows of opencode name cannot be read, so nothing counts as left over. ${why}`;
  return { kind: 'names-unknown', subject: 'opencode.db', message };
}

function tooLarge(): Problem {
  const message =
    'The database is larger than 1 GB, so no output of a tool was looked for in it: none counts as left over.';
  return {
    kind: 'not-checked',
    subject: 'tool-output',
    message,
    hint: 'opencode itself removes them after seven days.',
  };
}
