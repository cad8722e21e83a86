import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { KEEP_REASON } from '../../../platform/git/copy-git-objects.ts';

/** Lets git treat the packs that Coppice brought into a repository like all others again. Those of anybody else stay as they are. */
export function dropKeeps(gitDir: string): void {
  const dir = join(gitDir, 'objects', 'pack');
  for (const name of readdirSync(dir).filter((file) => file.endsWith('.keep'))) {
    if (readFileSync(join(dir, name), 'utf8').trim() === KEEP_REASON) rmSync(join(dir, name), { force: true });
  }
}

/**
 * Removes what git noted about a history to be quicker: it speaks of commits that a cut leaves out, or leaves out some that are
 * back. git does without, and makes it anew.
 */
export function dropShortcuts(gitDir: string): void {
  const dir = join(gitDir, 'objects', 'pack');
  for (const name of readdirSync(dir).filter((file) => file.endsWith('.bitmap')))
    rmSync(join(dir, name), { force: true });
  for (const name of ['commit-graph', 'commit-graphs']) {
    rmSync(join(gitDir, 'objects', 'info', name), { recursive: true, force: true });
  }
}
