import { once } from 'node:events';
import type { FileDiff } from '../../core/retention/checkpoint.ts';
import { GitError, runGit, startGit } from '../../platform/git/run-git.ts';
import { splitNul, type TreePair } from '../project/diff-trees.ts';
import { normalPath } from '../worktree/restore-paths.ts';

export interface DiffRequest extends TreePair {
  /** Only these, literal and relative to the working directory; a folder means all that lies in it. */
  readonly paths: readonly string[];
}

/** Every file in which two trees differ, with how many lines came and went. */
export async function diffSnapshots(gitDir: string, request: DiffRequest): Promise<FileDiff[]> {
  const { stdout } = await runGit({ gitDir }, diffArgs(request, ['-z', '--raw', '--numstat']));
  const fields = splitNul(stdout);
  // Both lists are in the same order; each path of the first is a field of its own.
  const counts = fields.slice(fields.findIndex((field, at) => at % 2 === 0 && field[0] !== COLON));
  return counts.map((count, at) => fileDiff(fields[2 * at]?.toString() ?? '', count));
}

/** The same as text, line by line, as `git diff` shows it. */
export async function* diffText(gitDir: string, request: DiffRequest): AsyncGenerator<string> {
  const args = diffArgs(request, ['-p']);
  const child = startGit({ gitDir }, args);
  child.stdin?.end();
  const closed = once(child, 'close') as Promise<[number | null]>;
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout ?? []) yield decoder.decode(chunk as Buffer, { stream: true });
  const [code] = await closed;
  if (code !== 0) throw new GitError(args, { code: code ?? undefined, stderr: '' });
}

function diffArgs({ from, to, paths }: DiffRequest, shape: readonly string[]): string[] {
  const wanted = paths.map((path) => normalPath(Buffer.from(path)).toString() || '.');
  return [
    'diff-tree',
    '-r',
    ...shape,
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    from,
    to,
    '--',
    ...wanted,
  ];
}

const COLON = ':'.charCodeAt(0);
const TAB = '\t'.charCodeAt(0);

/** `:100644 100755 … M` says what happened, and `1<tab>2<tab>path` how much; git counts no lines in binary files. */
function fileDiff(raw: string, count: Buffer): FileDiff {
  const added = count.subarray(0, count.indexOf(TAB)).toString();
  const rest = count.subarray(count.indexOf(TAB) + 1);
  const removed = rest.subarray(0, rest.indexOf(TAB)).toString();
  const path = rest.subarray(rest.indexOf(TAB) + 1);
  const kind = raw.endsWith('A') ? 'added' : raw.endsWith('D') ? 'removed' : 'changed';
  if (added === '-') return { path, kind, binary: true };
  return { path, kind, binary: false, addedLines: Number(added), removedLines: Number(removed) };
}
