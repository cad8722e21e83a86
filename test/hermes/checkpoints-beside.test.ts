import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { addV1Checkpoints, addV2Checkpoints, projectHash } from '../support/hermes-checkpoints.ts';
import { buildHermesHome, HERMES_DAY } from '../support/hermes-home.ts';

const TAKER = resolve(import.meta.dirname, '../support/hermes-taker.js');
const ROUNDS = process.env['COPPICE_TORTURE'] === undefined ? 2 : 12;

interface Report {
  readonly takes: number;
  readonly failures: readonly string[];
  readonly gcFailures: readonly string[];
}

async function startTaker(...args: string[]) {
  const child = spawn(process.execPath, [TAKER, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
  await once(child.stdout, 'data');
  return async (): Promise<Report> => {
    child.stdin.end();
    await once(child, 'close');
    return JSON.parse(said.join('').split('\n')[1] ?? '') as Report;
  };
}

/** Newer ones know the lock. Older ones do not, and drop at once whatever no ref leads to. */
const HERMES = [
  ['v2', ['lock']],
  ['v2', ['gc']],
  ['v1', []],
] as const;

describe('a Hermes that takes checkpoints', () => {
  it.each(HERMES)(
    'loses none while its history is cut and joined again: layout %s %j',
    async (layout, manners) => {
      const root = tempDirInMemory();
      const home = buildHermesHome(join(root, 'hermes'));
      const checkpoints = join(home, 'checkpoints');
      const reasons = Array.from({ length: 6 }, (_, at) => `reason ${at}`);
      const add = layout === 'v1' ? addV1Checkpoints : addV2Checkpoints;
      const [busy, idle] = [join(root, 'busy'), join(root, 'idle')];
      for (const workdir of [busy, idle]) add(checkpoints, { workdir, reasons, firstAt: Date.now() - HERMES_DAY });
      // What only those that know the lock keep.
      if (manners.some((manner) => manner === 'lock')) mkdirSync(join(checkpoints, 'store/ledgers'));
      await using coppice = await openHome({
        path: home,
        env: {},
        settings: [{ key: 'disk.ballast_mb', value: 'never' }],
      });
      const stop = await startTaker(checkpoints, busy, layout, ...manners);
      let [cut, joined] = [0, 0];
      for (let round = 0; round < ROUNDS; round += 1) {
        const run = await coppice.checkpoints.prune({ maxSnapshots: 3 });
        cut += run?.done ?? 0;
        const back = run && (await coppice.undo(run.run.id));
        joined += back?.done ?? 0;
      }
      await coppice.checkpoints.prune({ maxSnapshots: 3 });
      const { takes, failures, gcFailures } = await stop();
      expect(failures).toEqual([]);
      // git gives up when a cut changes under it, and does it the next time.
      expect(gcFailures.filter((text) => !text.includes('shallow file has changed'))).toEqual([]);
      expect(takes).toBeGreaterThan(0);
      expect(joined).toBe(cut);
      // What is taken at that very moment may have to stay for the next pass; the folder that rests is cut in each.
      expect(cut).toBeGreaterThanOrEqual(ROUNDS * 3);
      for (const workdir of [busy, idle]) expect(lastTaken(layout, checkpoints, workdir)).toBeGreaterThanOrEqual(3);
      const packs = join(checkpoints, layout === 'v1' ? projectHash(busy) : 'store', 'objects/pack');
      expect(readdirSync(packs).filter((name) => name.endsWith('.keep'))).toEqual([]);
    },
    300_000,
  );
});

/** How many there are. Throws where anything is missing. */
function lastTaken(layout: 'v1' | 'v2', checkpoints: string, workdir: string): number {
  const gitDir = join(checkpoints, layout === 'v1' ? projectHash(workdir) : 'store');
  const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: gitDir };
  const git = (...args: string[]) =>
    execFileSync('git', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  git('rev-list', '--objects', '--all');
  git('-c', 'core.commitGraph=false', 'fsck', '--connectivity-only');
  return Number(git('rev-list', '--count', layout === 'v1' ? 'HEAD' : `refs/hermes/${projectHash(workdir)}`));
}
