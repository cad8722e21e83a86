import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { spread } from '../support/campaign.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { listTree, type TreeData, writeTree } from '../support/hostile-trees.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const WORKER = fileURLToPath(new URL('../support/restore-worker.js', import.meta.url));
/** The calls by which a restore changes files. */
const CALLS = ['rename', 'unlink', 'symlink', 'mkdir', 'rmdir', 'fsync'];
const POINTS_PER_CALL = process.env['COPPICE_TORTURE'] === undefined ? 1 : 20;

const text = (content: string, executable = false) => ({ kind: 'file', content, executable }) as const;
const link = (target: string) => ({ kind: 'link', target }) as const;
const folder = (inside: TreeData) => ({ kind: 'folder', inside }) as const;

const TARGET: TreeData = {
  changed: text('one\r\n'),
  executable: text('one', true),
  gone: folder({ deep: folder({ a: text('a'), b: link('a') }) }),
  swapped: folder({ inside: text('one') }),
  link: link('changed'),
};
const BROKEN: TreeData = {
  changed: text('two\n'),
  executable: text('two'),
  swapped: link('changed'),
  link: folder({ x: text('x'), y: text('y') }),
  new: folder({ deep: folder({ c: text('c') }) }),
};

describe.skipIf(!STRACE_WORKS)('a restore that is killed', () => {
  it('is undone or finished by the next, and leaves no trace of itself', async () => {
    const root = tempDirInMemory();
    const [path, workdir] = [join(root, 'home'), join(root, 'work')];
    mkdirSync(workdir);
    writeTree(workdir, TARGET);
    const target = listTree(workdir);
    await using home = await openHome({ path, env: {}, settings: [{ key: 'disk.ballast_mb', value: 'never' }] });
    const taken = await home.checkpoints.take({ workdir });
    if (taken.status === 'refused') throw new Error(taken.message);
    const { id } = taken.checkpoint;
    writeTree(workdir, BROKEN);
    const broken = listTree(workdir);
    let killed = 0;
    for (const [call, count] of countCalls(path, id)) {
      for (const when of spread(count, POINTS_PER_CALL)) {
        writeTree(workdir, BROKEN);
        const runs = await runIds(home);
        const { signal } = runWorker(path, id, [
          '-e',
          `trace=${call}`,
          '-e',
          `inject=${call}:signal=SIGKILL:when=${when}`,
        ]);
        killed += signal === 'SIGKILL' ? 1 : 0;
        const run = (await runIds(home)).find((known) => !runs.includes(known));
        if (killed % 3 === 2) {
          // Whoever changes the home next tidies up, whatever it is about.
          await (await home.retention()).settle();
        } else if (run !== undefined && killed % 3 === 0) {
          expect(await home.undo(run), `${call} ${when}`).toMatchObject({ skipped: 0 });
          expect(listTree(workdir), `undo after ${call} ${when}`).toEqual(broken);
        } else {
          expect(await home.checkpoints.restore(id), `${call} ${when}`).toMatchObject({ skipped: 0 });
          expect(listTree(workdir), `restore after ${call} ${when}`).toEqual(target);
        }
        expect(ownFiles(workdir), `${call} ${when}`).toEqual([]);
        expect(unknownFiles(path), `${call} ${when}`).toEqual([]);
      }
    }
    expect(killed).toBeGreaterThanOrEqual(CALLS.length);
  }, 600_000);

  function countCalls(path: string, id: string): Map<string, number> {
    const { status, stderr } = runWorker(path, id, ['-e', `trace=${CALLS.join()}`]);
    expect(status).toBe(0);
    const names = stderr.split('\n').map((line) => line.split('(', 1)[0]);
    return new Map(CALLS.map((call) => [call, names.filter((name) => name === call).length]));
  }

  /** Only the main thread is traced: it changes the files, and git runs elsewhere. */
  function runWorker(path: string, id: string, options: readonly string[]) {
    const env = { ...process.env, UV_USE_IO_URING: '0' };
    return spawnSync('strace', ['-qq', ...options, process.execPath, WORKER, path, id], { encoding: 'utf8', env });
  }

  /** What a restore has in a folder for as long as it works there. */
  function ownFiles(workdir: string): string[] {
    return Object.keys(listTree(workdir)).filter((name) => name.includes('.coppice'));
  }

  async function runIds(home: Home): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of (await home.retention()).runs()) ids.push(id);
    return ids;
  }
});
