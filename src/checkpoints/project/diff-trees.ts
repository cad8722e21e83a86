import { runGit } from '../../platform/git/run-git.ts';

/** What git records of one file: its kind (plain, executable, symbolic link) and the name of its content. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

/** One path that two trees hold differently. A side is absent where its tree does not have the path. */
export interface TreeChange {
  readonly path: Buffer;
  readonly from?: TreeEntry;
  readonly to?: TreeEntry;
}

export interface TreePair {
  readonly from: string;
  readonly to: string;
}

/** Every path in which two trees (or the trees of two checkpoints) differ, in order of path. */
export async function diffTrees(gitDir: string, { from, to }: TreePair): Promise<TreeChange[]> {
  const { stdout } = await runGit({ gitDir }, ['diff-tree', '-r', '-z', '--no-renames', from, to]);
  const fields = splitNul(stdout);
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = '', after = '', beforeOid = '', afterOid = ''] = (fields[at] ?? '').toString().slice(1).split(' ');
    changes.push({
      path: fields[at + 1] ?? Buffer.alloc(0),
      ...(before !== ABSENT && { from: { mode: before, oid: beforeOid } }),
      ...(after !== ABSENT && { to: { mode: after, oid: afterOid } }),
    });
  }
  return changes;
}

const ABSENT = '000000';

/** The name that git gives to a tree without files, in every repository. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Names as git takes them, each with NUL after it. */
export function joinNul(names: readonly Buffer[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [name, NUL]));
}

const NUL = Buffer.from([0]);

/** The pieces of an answer whose names end with NUL. They are bytes: a name need not be text. */
export function splitNul(data: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < data.length; ) {
    const end = data.indexOf(0, start);
    if (end === -1) break;
    pieces.push(data.subarray(start, end));
    start = end + 1;
  }
  return pieces;
}
