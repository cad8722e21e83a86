import type { Problem } from '../../core/problem.ts';
import { type Checkpoint, shortId } from '../../core/retention/checkpoint.ts';
import { GitError, runGit } from '../../platform/git/run-git.ts';
import type { CheckpointStore } from './open-store.ts';
import { PINS, SNAPSHOTS, TRASH } from './store-layout.ts';
import { readSnapshotText } from './snapshot-text.ts';

export interface Snapshots {
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** Refs that lead to nothing readable. They are shown and left alone. */
  readonly problems: readonly Problem[];
}

export interface SnapshotsWanted {
  /** Of one project; of all when absent. */
  readonly projectId?: string | undefined;
  /** Also those that a run has begun to move into the trash or out of it: whoever finishes that needs them. */
  readonly halfGone?: boolean;
}

/**
 * Every checkpoint of one project, or of all. One that is in the trash is none, also while its move there or back is not over:
 * it is shown in one place.
 */
export async function readSnapshots(
  { layout }: CheckpointStore,
  { projectId, halfGone = false }: SnapshotsWanted = {},
): Promise<Snapshots> {
  const patterns = [projectId === undefined ? SNAPSHOTS : `${SNAPSHOTS}/${projectId}`, PINS, TRASH];
  const refs = await readRefs(layout.gitDir, patterns);
  const idsOf = (prefix: string) =>
    new Set(refs.filter(({ name }) => name.startsWith(`${prefix}/`)).map(({ id }) => id));
  const [pins, trashed] = [idsOf(PINS), halfGone ? new Set() : idsOf(TRASH)];
  const checkpoints: Checkpoint[] = [];
  const problems: Problem[] = [];
  const listed = refs.filter(({ name, id }) => name.startsWith(`${SNAPSHOTS}/`) && !trashed.has(id));
  for (const ref of listed) {
    const checkpoint = readRef(ref, pins);
    if (checkpoint === undefined) problems.push(unreadable(ref));
    else checkpoints.push(checkpoint);
  }
  return { checkpoints: checkpoints.toSorted(newestFirst), problems };
}

/** The order of a list: by time, and by name where that is the same. */
export function newestFirst(a: Checkpoint, b: Checkpoint): number {
  return b.takenAt - a.takenAt || (a.id < b.id ? -1 : 1);
}

interface Ref {
  readonly name: string;
  readonly id: string;
  /** Absent when its commit cannot be read. */
  readonly commit?: { readonly tree: string; readonly text: string };
}

async function readRefs(gitDir: string, patterns: readonly string[]): Promise<Ref[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(tree)%00%(contents)%00';
  try {
    const { stdout, stderr } = await runGit({ gitDir }, ['for-each-ref', format, ...patterns]);
    const refs = inFours(stdout.toString()).map(([name, id, tree, text]) => ({ name, id, commit: { tree, text } }));
    return [...refs, ...brokenRefs(stderr)];
  } catch (error) {
    // A single ref without its commit makes the whole command fail.
    if (!(error instanceof GitError)) throw error;
    return readRefsOneByOne(gitDir, patterns);
  }
}

async function readRefsOneByOne(gitDir: string, patterns: readonly string[]): Promise<Ref[]> {
  const format = '--format=%(refname) %(objectname)';
  const { stdout, stderr } = await runGit({ gitDir }, ['for-each-ref', format, ...patterns]);
  const lines = stdout.toString().split('\n').filter(Boolean);
  const refs: Ref[] = brokenRefs(stderr);
  for (const line of lines) {
    const [name = '', id = ''] = line.split(' ');
    const { code, stdout: raw } = await runGit({ gitDir }, ['cat-file', 'commit', id], { okCodes: [0, 1, 128] });
    const [, tree = '', text = ''] = /^tree ([0-9a-f]{40})\n.*?\n\n(.*)$/s.exec(raw.toString()) ?? [];
    refs.push({ name, id, ...(code === 0 && tree !== '' && { commit: { tree, text } }) });
  }
  return refs;
}

/** Refs whose file holds no name of a commit: git leaves them out with a warning. */
function brokenRefs(stderr: string): Ref[] {
  const names = [...stderr.matchAll(/^warning: ignoring broken ref (\S+)$/gm)].map(([, name = '']) => name);
  return names.map((name) => ({ name, id: name.slice(name.lastIndexOf('/') + 1) }));
}

function readRef({ name, id, commit }: Ref, pins: ReadonlySet<string>): Checkpoint | undefined {
  const facts = readSnapshotText(commit?.text ?? '');
  if (commit === undefined || facts === undefined || name !== `${SNAPSHOTS}/${facts.projectId}/${id}`) return undefined;
  return { ...facts, id, tree: commit.tree, pinned: pins.has(id) };
}

function unreadable({ name, id }: Ref): Problem {
  return {
    kind: 'checkpoint-unreadable',
    subject: name,
    message: `The checkpoint ${shortId(id)} cannot be read. It is left as it is.`,
    hint: 'Look closer with: coppice checkpoints verify',
  };
}

/** Each record ends in NUL, and git adds a line break after it. */
function inFours(text: string): [string, string, string, string][] {
  const fields = text.split('\0');
  const records: [string, string, string, string][] = [];
  for (let at = 0; at + 4 < fields.length; at += 4) {
    const [name = '', id = '', tree = '', contents = ''] = fields.slice(at, at + 4);
    records.push([name.trimStart(), id, tree, contents]);
  }
  return records;
}
