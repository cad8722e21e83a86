import { GitError, runGit } from '../../platform/git/run-git.ts';
import type { StoreLayout } from '../store/store-layout.ts';

/**
 * The objects that checkpoints consist of, in the order given: each checkpoint with those that none before it has. Fails when
 * one of them is missing.
 */
export async function* objectsOfEach(
  layout: StoreLayout,
  ids: readonly string[],
): AsyncGenerator<{ readonly id: string; readonly objects: readonly string[] }> {
  const order = ['--in-commit-order', '--no-walk=unsorted', '--no-object-names'];
  const lines = await revList(layout, order, ids);
  const wanted = new Set(ids);
  let group: { id: string; objects: string[] } | undefined;
  for (const line of lines) {
    if (!wanted.has(line)) {
      group?.objects.push(line);
      continue;
    }
    if (group !== undefined) yield group;
    group = { id: line, objects: [line] };
  }
  if (group !== undefined) yield group;
}

/**
 * Every object that any ref needs, with the first path it is known by after a space: `git pack-objects` takes such lines, and
 * packs files that are alike together. Fails when one is missing. Paths are bytes, kept as Latin-1.
 */
export async function reachableObjects(layout: StoreLayout): Promise<ReadonlyMap<string, string>> {
  const lines = await revList(layout, ['--all'], []);
  return new Map(lines.map((line) => [line.slice(0, ID_LENGTH), line]));
}

/** Every object that these ids need. Fails when one is missing. */
export async function objectsOf(layout: StoreLayout, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(await revList(layout, ['--no-object-names'], ids));
}

/** Those of these checkpoints that miss an object. */
export async function incompleteOf(layout: StoreLayout, ids: readonly string[]): Promise<readonly string[]> {
  if (await areComplete(layout, ids)) return [];
  if (ids.length === 1) return ids;
  const half = Math.ceil(ids.length / 2);
  return [...(await incompleteOf(layout, ids.slice(0, half))), ...(await incompleteOf(layout, ids.slice(half)))];
}

async function areComplete(layout: StoreLayout, ids: readonly string[]): Promise<boolean> {
  try {
    await revList(layout, ['--no-walk', '--no-object-names'], ids);
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code !== undefined) return false;
    throw error;
  }
}

const ID_LENGTH = 40;

async function revList(layout: StoreLayout, options: readonly string[], ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0 && !options.includes('--all')) return [];
  const args = ['rev-list', '--objects', ...options, '--stdin'];
  const { stdout } = await runGit({ gitDir: layout.gitDir }, args, { input: `${ids.join('\n')}\n` });
  return stdout.toString('latin1').split('\n').filter(Boolean);
}
