import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { HOUR_MS } from '../../core/time.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { syncDir } from '../../platform/files/private-files.ts';
import { removeBelow, removeIn } from '../../platform/files/remove-tree.ts';
import { GitError, runGit } from '../../platform/git/run-git.ts';
import { temporaryName } from '../../platform/leftovers/temporary-name.ts';
import type { StoreLayout } from '../store/store-layout.ts';
import { packedObjects } from '../store/store-size.ts';

/** Writes objects into one pack, reads all of it back, and returns its name. Each line is an id, and perhaps its path. */
export async function writePack(layout: StoreLayout, lines: readonly string[]): Promise<string> {
  const dir = packDir(layout);
  const args = ['pack-objects', '--quiet', '--threads=1', '--window-memory=64m', '--delta-base-offset'];
  try {
    const input = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
    const { stdout } = await runGit(layout, [...args, join(dir, 'pack')], { input, timeoutMs: HOUR_MS });
    const name = `pack-${stdout.toString().trim()}`;
    await runGit(layout, ['verify-pack', join(dir, `${name}.idx`)], { timeoutMs: HOUR_MS });
    const written = await packedObjects(layout, name);
    if (!lines.every((line) => written.has(line.slice(0, ID_LENGTH)))) throw notWhole(layout);
    syncDir(dir);
    return name;
  } catch (error) {
    // Nobody else writes packs, and the command has ended: on a full disk what it left is best gone at once.
    const left = readdirSync(dir).filter((file) => file.startsWith('tmp_'));
    removeBelow(
      layout.home,
      left.map((file) => join(dir, file)),
    );
    throw error;
  }
}

/** Whether these checkpoints are complete without some packs: git itself looks, through a view of the store without those. */
export async function isCompleteWithout(
  layout: StoreLayout,
  packs: readonly string[],
  ids: readonly string[],
): Promise<boolean> {
  if (packs.length === 0 || ids.length === 0) return true;
  using root = openBelow(layout.home, layout.root, { create: true });
  const view = temporaryName();
  try {
    linkObjects(layout, root.newFolder(view), packs);
    const args = ['rev-list', '--objects', '--no-object-names', '--quiet', '--stdin'];
    const input = `${ids.join('\n')}\n`;
    await runGit(layout, args, { input, env: { GIT_OBJECT_DIRECTORY: join(layout.root, view) } });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code !== undefined) return false;
    throw error;
  } finally {
    removeIn(root, view);
  }
}

/** The index first: without it, what is left of a pack is debris that nothing reads. */
export function packFiles(layout: StoreLayout, name: string): string[] {
  const files = readdirSync(packDir(layout)).filter((file) => file.startsWith(`${name}.`));
  const indexFirst = files.toSorted((a, b) => Number(b.endsWith('.idx')) - Number(a.endsWith('.idx')));
  return indexFirst.map((file) => join(packDir(layout), file));
}

const ID_LENGTH = 40;

function packDir({ objects }: StoreLayout): string {
  return join(objects, 'pack');
}

/** Fills a new folder with links to all objects but those of some packs. */
function linkObjects(layout: StoreLayout, made: DirectoryHandle, leftOut: readonly string[]): void {
  using view = made;
  for (const name of readdirSync(layout.objects)) {
    if (/^[0-9a-f]{2}$/.test(name)) symlinkSync(join(layout.objects, name), view.at(name));
  }
  using packs = view.newFolder('pack');
  for (const file of readdirSync(packDir(layout))) {
    if (leftOut.some((name) => file.startsWith(`${name}.`))) continue;
    symlinkSync(join(packDir(layout), file), packs.at(file));
  }
}

function notWhole({ gitDir }: StoreLayout): Failure {
  return new Failure('integrity', `A new pack in ${gitDir} does not hold all that it should.`, {
    hint: 'Nothing was removed. Look closer with: coppice checkpoints verify',
  });
}
