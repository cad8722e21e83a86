import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunItem } from '../../src/core/retention/run.ts';
import { createHermesCheckpointDriver } from '../../src/homes/hermes/checkpoints/trash/hermes-checkpoint-driver.ts';
import { runGit } from '../../src/platform/git/run-git.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { addV1Checkpoints, addV2Checkpoints, projectHash } from '../support/hermes-checkpoints.ts';
import { dieAtChange } from '../support/hermes-faults.ts';
import { HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';

type Layout = 'v1' | 'v2';

/** Every step takes minutes. */
const EVERY = process.env['COPPICE_TORTURE'] === undefined ? 9 : 1;
const RUN = '01a1dfb1-bb38-78f4-96f2-a33923537414';

interface Desk {
  readonly home: string;
  readonly gitDir: string;
  readonly ref: string;
}

function build(root: string, layout: Layout): void {
  const project = { workdir: join(root, 'work'), reasons: ['a', 'b', 'c', 'd'], firstAt: HERMES_NOW - HERMES_DAY };
  (layout === 'v1' ? addV1Checkpoints : addV2Checkpoints)(join(root, 'template/checkpoints'), project);
  execFileSync('git', ['init', '-q', '--bare', join(root, 'template/.coppice/store')]);
}

function copy(root: string, layout: Layout, name: string): Desk {
  const home = join(root, name);
  cpSync(join(root, 'template'), home, { recursive: true });
  const hash = projectHash(join(root, 'work'));
  const gitDir = join(home, 'checkpoints', layout === 'v1' ? hash : 'store');
  return { home, gitDir, ref: layout === 'v1' ? 'refs/heads/master' : `refs/hermes/${hash}` };
}

/** As a process that was just started has it. */
function driverOf({ home }: Desk) {
  return createHermesCheckpointDriver({
    home,
    clock: { now: () => HERMES_NOW },
    store: async () => ({
      gitDir: join(home, '.coppice/store'),
      root: join(home, '.coppice'),
      promise: () => ({ [Symbol.dispose]: () => undefined }),
      changeRefs: async (lines) => {
        const input = ['start', ...lines, 'commit', ''].join('\n');
        await runGit({ gitDir: join(home, '.coppice/store') }, ['update-ref', '--stdin'], { input });
      },
    }),
    trashDir: (runId) => join(home, '.coppice/trash', runId),
    places: async () => () => 'unreachable',
  });
}

function git({ gitDir }: Desk, ...args: string[]): string {
  const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: gitDir };
  return execFileSync('git', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** What Hermes sees; throws when anything it could reach is missing, also after it has tidied up in its rough way. */
function history(desk: Desk): string[] {
  if (!existsSync(desk.gitDir)) return [];
  if (git(desk, 'for-each-ref', desk.ref) === '') return [];
  git(desk, 'rev-list', '--objects', '--all');
  return git(desk, 'rev-list', desk.ref).split('\n');
}

function itemsOf(desk: Desk, ids: readonly string[]): RunItem[] {
  const hash = desk.ref.startsWith('refs/hermes/') ? desk.ref.slice('refs/hermes/'.length) : '';
  const own = desk.gitDir.slice(desk.home.length + 1);
  const fingerprint = hash === '' ? `${own} ${own.slice(-16)}` : `${own} ${hash}`;
  return ids.toReversed().map((id, at) => ({
    number: at + 1,
    item: { kind: 'checkpoint', id },
    action: 'remove',
    reason: 'named',
    fingerprint,
    sizeBytes: 1,
    skipsTrash: false,
    state: 'intended',
  }));
}

describe.each(['v1', 'v2'] as const)('checkpoints of Hermes in layout %s', (layout) => {
  it.each([
    ['the oldest', 2],
    ['all', 4],
  ] as const)(
    'of which %s are taken and brought back by processes that die are whole at every step',
    async (_, count) => {
      const root = tempDirInMemory();
      build(root, layout);
      const before = history(copy(root, layout, 'first'));
      for (let step = 1, died = true; died; step += EVERY) {
        const desk = copy(root, layout, `step-${step}`);
        const items = itemsOf(desk, before.slice(-count));
        const isWhole = () => [4, 4 - count].includes(history(desk).length);
        died = await dieAtChange(step, () => driverOf(desk).discard(RUN, items), { programs: true });
        expect(isWhole(), `taking, step ${step}`).toBe(true);
        const taken = await driverOf(desk).discard(RUN, items);
        expect(taken.map(({ status }) => status)).toEqual(items.map(() => 'done'));
        expect(history(desk)).toEqual(before.slice(0, 4 - count));
        await driverOf(desk).giveBack();
        const diedAgain = await dieAtChange(step, () => driverOf(desk).restore(RUN, items), { programs: true });
        expect(isWhole(), `bringing back, step ${step}`).toBe(true);
        const back = await driverOf(desk).restore(RUN, items);
        expect(back.map(({ status }) => status)).toEqual(items.map(() => 'done'));
        expect(history(desk)).toEqual(before);
        git(desk, 'gc', '-q', '--prune=now');
        expect(history(desk)).toEqual(before);
        died ||= diedAgain;
      }
    },
    300_000,
  );
});
