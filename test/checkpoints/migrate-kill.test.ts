import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { LEGACY } from '../../src/checkpoints/store/move-legacy.ts';
import { spread } from '../support/campaign.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { listTree } from '../support/hostile-trees.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const WORKER = fileURLToPath(new URL('../support/take-once.js', import.meta.url));
/** The calls by which a store is made and older layouts are moved. */
const CALLS = ['mkdir', 'rename', 'rmdir', 'unlink', 'fsync'];
const POINTS_PER_CALL = process.env['COPPICE_TORTURE'] === undefined ? 2 : 1000;
const SHADOWS = ['0123456789abcdef', 'fedcba9876543210'];

describe.skipIf(!STRACE_WORKS)('a first use that is killed while it moves older layouts', () => {
  it('loses nothing of them, and the next use finishes it', async () => {
    const root = tempDirInMemory();
    const start = join(root, 'start');
    const settings = [{ key: 'disk.ballast_mb', value: 'never' }];
    await (await openHome({ path: start, env: {}, settings })).close();
    const shadow = (name: string) => join(start, 'checkpoints', name);
    for (const name of [...SHADOWS, 'store']) {
      execFileSync('git', ['init', '-q', '--bare', shadow(name)]);
      writeFileSync(join(shadow(name), 'HERMES_WORKDIR'), `/projects/${name}\n`);
    }
    const was = new Map([...SHADOWS, 'store'].map((name) => [name, listTree(shadow(name))]));
    const workdir = join(root, 'work');
    mkdirSync(workdir);
    writeFileSync(join(workdir, 'file'), 'content');
    const home = join(root, 'home');
    const use = (options: readonly string[]) => {
      rmSync(home, { recursive: true, force: true });
      cpSync(start, home, { recursive: true });
      return runWorker(home, workdir, options);
    };
    const { status, stderr } = use(['strace', '-qq', '-e', `trace=${CALLS.join()}`]);
    expect(status).toBe(0);
    const names = stderr.split('\n').map((line) => line.split('(', 1)[0]);
    let killed = 0;
    for (const call of CALLS) {
      for (const when of spread(names.filter((name) => name === call).length, POINTS_PER_CALL)) {
        const { signal } = use([
          'strace',
          '-qq',
          '-e',
          `trace=${call}`,
          '-e',
          `inject=${call}:signal=SIGKILL:when=${when}`,
        ]);
        killed += signal === 'SIGKILL' ? 1 : 0;
        expect(runWorker(home, workdir, []).stdout, `${call} ${when}`).toMatch(/^(taken|unchanged)$/);
        expect(legacyOf(join(home, 'checkpoints')), `${call} ${when}`).toEqual(was);
        expect(readdirSync(join(home, 'checkpoints')).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
      }
    }
    expect(killed).toBeGreaterThanOrEqual(CALLS.length);
  }, 600_000);
});

/** Only the main thread is traced: git runs elsewhere. */
function runWorker(home: string, workdir: string, under: readonly string[]) {
  const env = { ...process.env, UV_USE_IO_URING: '0' };
  const args = [...under, process.execPath, WORKER, home, workdir];
  return spawnSync('env', args, { encoding: 'utf8', env });
}

/** By name, what lies in the folders of older layouts; each must be there once. */
function legacyOf(checkpoints: string): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const folder of readdirSync(checkpoints).filter((name) => LEGACY.test(name))) {
    for (const name of readdirSync(join(checkpoints, folder))) {
      expect(found.has(name)).toBe(false);
      found.set(name, listTree(join(checkpoints, folder, name)));
    }
  }
  for (const name of SHADOWS) expect(existsSync(join(checkpoints, name))).toBe(false);
  return found;
}
