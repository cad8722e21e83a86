import { runGit } from '../platform/run-git.ts';
import type { StoreLayout } from './store-layout.ts';

/** Every ref of the store and what it points at. Nothing it points at is looked at, so damage does not matter here. */
export async function readRefs({ gitDir }: StoreLayout): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runGit({ gitDir }, ['for-each-ref', '--format=%(refname) %(objectname)']);
  const lines = stdout.toString().split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ', 2) as [string, string]));
}

/** The ids that refs below a prefix point at. */
export function idsBelow(refs: ReadonlyMap<string, string>, prefix: string): ReadonlySet<string> {
  return new Set([...refs].filter(([name]) => name.startsWith(`${prefix}/`)).map(([, id]) => id));
}

/** Carries out ref changes together: all of them or none. Each line is one of `git update-ref --stdin`. */
export async function changeRefs({ gitDir }: StoreLayout, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await runGit({ gitDir }, ['update-ref', '--stdin'], { input: `${['start', ...lines, 'commit'].join('\n')}\n` });
}
