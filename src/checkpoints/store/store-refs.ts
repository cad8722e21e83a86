import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../../platform/git/run-git.ts';
import type { StoreLayout } from './store-layout.ts';

/**
 * Every ref of the store, or those below a prefix, and what it points at. Nothing it points at is looked at, so damage does
 * not matter here.
 */
export async function readRefs({ gitDir }: StoreLayout, prefix = 'refs'): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runGit({ gitDir }, ['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
  const lines = stdout.toString().split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ', 2) as [string, string]));
}

/** What a ref points at; undefined when there is none. */
export type RefLookup = (name: string) => string | undefined;

/** Looks at refs one by one, which costs what is asked for, however many there are. Only refs that git packed are read first. */
export async function lookUpRefs(layout: StoreLayout): Promise<RefLookup> {
  const packed = existsSync(join(layout.gitDir, 'packed-refs')) ? await readRefs(layout) : undefined;
  return (name) => looseRef(layout, name) ?? packed?.get(name);
}

/** What a ref in a file of its own points at. Undefined may also mean packed or damaged: git can tell. */
export function looseRef({ gitDir }: StoreLayout, name: string): string | undefined {
  try {
    return /^[0-9a-f]{40}(?=\n?$)/.exec(readFileSync(join(gitDir, name), 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}

/** The ids that refs below a prefix point at. */
export function idsBelow(refs: ReadonlyMap<string, string>, prefix: string): ReadonlySet<string> {
  return new Set([...refs].filter(([name]) => name.startsWith(`${prefix}/`)).map(([, id]) => id));
}
