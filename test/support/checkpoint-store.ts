import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckpointStore, openStore, type TakeLimits } from '../../src/checkpoints/store/open-store.ts';
import type { Checkpoint, TakeResult } from '../../src/core/retention/checkpoint.ts';
import { runGit } from '../../src/platform/git/run-git.ts';
import { createSharedLock } from '../../src/store/sqlite/sqlite-shared-lock.ts';

export const MEGABYTE = 1024 * 1024;

/** A store in `<dir>/home/checkpoints`, as the app opens it. The clock goes on by a second with every look. */
export function testStore(dir: string, limits: Partial<TakeLimits> = {}): Promise<CheckpointStore> {
  const homeRoot = join(dir, 'home');
  mkdirSync(homeRoot, { recursive: true });
  let now = Date.parse('2026-06-15T12:00:00Z');
  return openStore({
    root: join(homeRoot, 'checkpoints'),
    limits: { homeRoot, maxFileBytes: MEGABYTE, maxFiles: 200_000, exclude: [], ...limits },
    clock: { now: () => (now += 1000) },
    createLock: createSharedLock,
  });
}

/** The checkpoint of a take that must have made one. */
export function takenOf(result: TakeResult): Checkpoint {
  if (result.status !== 'taken') throw new Error(`not taken: ${JSON.stringify(result)}`);
  return result.checkpoint;
}

/** Path, mode and content of everything a checkpoint holds, as git gives it back. Names are bytes in latin1. */
export async function savedFiles({ layout }: CheckpointStore, id: string): Promise<Map<string, string>> {
  const place = { gitDir: layout.gitDir };
  const { stdout } = await runGit(place, ['ls-tree', '-r', '-z', id]);
  const entries = stdout.toString('latin1').split('\0').filter(Boolean);
  const rows = entries.map((entry) => /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []);
  const input = rows.map(([, , oid = '']) => `${oid}\n`).join('');
  const contents = splitBatch((await runGit(place, ['cat-file', '--batch'], { input })).stdout);
  return new Map(rows.map(([, mode = '', , path = ''], at) => [path, `${mode} ${contents[at] ?? 'missing'}`]));
}

function splitBatch(output: Buffer): string[] {
  const contents: string[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const size = Number(output.subarray(at, end).toString().split(' ')[2]);
    contents.push(output.subarray(end + 1, end + 1 + size).toString('latin1'));
    at = end + 1 + size + 1;
  }
  return contents;
}

/** The same of the files on disk: regular files and links, repositories' own folders left out. */
export function filesOnDisk(dir: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (relative: Buffer) => {
    const here = Buffer.concat([Buffer.from(`${dir}/`), relative]);
    for (const name of readdirSync(here, { encoding: 'buffer' })) {
      if (name.equals(Buffer.from('.git'))) continue;
      const path = Buffer.concat([relative, name]);
      const full = Buffer.concat([Buffer.from(`${dir}/`), path]);
      const stat = lstatSync(full);
      const key = path.toString('latin1');
      if (stat.isDirectory()) visit(Buffer.concat([path, Buffer.from('/')]));
      else if (stat.isSymbolicLink())
        found.set(key, `120000 ${readlinkSync(full, { encoding: 'buffer' }).toString('latin1')}`);
      else if (stat.isFile())
        found.set(key, `${(stat.mode & 0o100) === 0 ? '100644' : '100755'} ${readFileSync(full).toString('latin1')}`);
    }
  };
  visit(Buffer.alloc(0));
  return found;
}
