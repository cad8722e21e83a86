import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/failure.ts';
import { HOUR_MS } from '../core/time.ts';
import { syncDir } from '../platform/private-files.ts';
import { GitError, runGit } from '../platform/run-git.ts';
import { temporaryName } from '../platform/temporary-name.ts';
import type { StoreLayout } from './store-layout.ts';
import { packedObjects } from './store-size.ts';

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
    for (const file of readdirSync(dir)) if (file.startsWith('tmp_')) rmSync(join(dir, file), { force: true });
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
  const view = join(layout.root, temporaryName());
  mkdirSync(view, 0o700);
  try {
    for (const name of readdirSync(layout.objects)) {
      if (/^[0-9a-f]{2}$/.test(name)) symlinkSync(join(layout.objects, name), join(view, name));
    }
    linkPacks(layout, join(view, 'pack'), packs);
    const args = ['rev-list', '--objects', '--no-object-names', '--quiet', '--stdin'];
    const input = `${ids.join('\n')}\n`;
    await runGit(layout, args, { input, env: { GIT_OBJECT_DIRECTORY: view } });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code !== undefined) return false;
    throw error;
  } finally {
    rmSync(view, { recursive: true, force: true });
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

function linkPacks(layout: StoreLayout, to: string, leftOut: readonly string[]): void {
  mkdirSync(to);
  for (const file of readdirSync(packDir(layout))) {
    if (!leftOut.some((name) => file.startsWith(`${name}.`))) symlinkSync(join(packDir(layout), file), join(to, file));
  }
}

function notWhole({ gitDir }: StoreLayout): Failure {
  return new Failure('integrity', `A new pack in ${gitDir} does not hold all that it should.`, {
    hint: 'Nothing was removed. Look closer with: coppice checkpoints verify',
  });
}
