import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaignSize, SEED, spread, TORTURE } from '../support/campaign.ts';
import { NATIVE } from '../support/crashed-homes.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { wrap } from '../support/first-answers.ts';
import { type CrashedKind, copyHome, documentOf, mustSay, say } from '../support/first-commands.ts';
import { listTree, type TreeData, writeTree } from '../support/hostile-trees.ts';
import { momentsOf, signalAt } from '../support/kill-program.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const KIND: CrashedKind = {
  ...NATIVE,
  get now() {
    return Date.now();
  },
};
const MOMENTS = campaignSize({ usual: 1, torture: 60 });
const text = (content: string) => ({ kind: 'file', content, executable: false }) as const;
const STATES: readonly TreeData[] = [
  { a: text('one'), b: { kind: 'folder', inside: { c: text('deep') } }, gone: text('gone') },
  { a: text('two'), new: { kind: 'folder', inside: { d: text('new') } } },
  { a: text('three'), b: { kind: 'link', target: 'a' } },
];

/** A home and a folder of somebody. Checkpoints know the folder by its path, so both stay where they are. */
interface Place {
  readonly home: string;
  readonly work: string;
}

interface Act {
  readonly name: string;
  readonly before: (ids: readonly string[]) => readonly (readonly string[])[];
  readonly line: (ids: readonly string[], place: Place) => readonly string[];
}

const RESTORE = (ids: readonly string[]) => ['checkpoints', 'restore', ids[0] ?? '', '--yes'];
const PRUNE = ['checkpoints', 'prune', '--max-snapshots', '1', '--yes'];
const ACTS: readonly Act[] = [
  { name: 'a checkpoint', before: () => [], line: (_, { work }) => ['checkpoints', 'take', work] },
  { name: 'a restore', before: () => [], line: RESTORE },
  { name: 'an undo of a restore', before: (ids) => [RESTORE(ids)], line: () => ['undo', '--yes'] },
  { name: 'a prune', before: () => [], line: () => PRUNE },
  { name: 'an undo of a prune', before: () => [PRUNE], line: () => ['undo', '--yes'] },
  { name: 'an emptying of the trash', before: () => [PRUNE], line: () => ['trash', 'empty', '--all', '--yes'] },
];
/** Whoever is told to stop may be in the middle of somebody's files, so that is always tried; the rest in a long run. */
const DEATHS = ACTS.flatMap((act) =>
  (['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)
    .filter((signal) => TORTURE || signal === 'SIGKILL' || act.name === 'a restore')
    .map((signal) => ({ act, signal })),
);
/** What may be typed first. None of them may fail, whatever died. */
const LOOKS = [
  ['checkpoints', 'list', '--all'],
  ['checkpoints', 'status'],
  ['checkpoints', 'verify'],
  ['runs'],
  ['status'],
  ['doctor'],
  ['maintain'],
];

describe.skipIf(!STRACE_WORKS)(`whatever is typed first after a kill over checkpoints, with seed ${SEED}`, () => {
  it.each(DEATHS)(
    'is answered, nothing is lost, and no file is left that nobody knows: $act.name, $signal',
    async ({ act, signal }) => {
      const directory = tempDirInMemory();
      const place = { home: join(directory, 'home'), work: join(directory, 'work') };
      const { ids, oldest, whole } = await build(place, act);
      const saved = (name: string) => ({
        home: join(directory, `${name}-home`),
        work: join(directory, `${name}-work`),
      });
      copy(place, saved('start'));
      const line = act.line(ids, place);
      const moments = await momentsOf(place.home, line);
      let deaths = 0;
      for (const [index, number] of spread(moments.length, MOMENTS).entries()) {
        const moment = moments[number - 1];
        if (moment === undefined) continue;
        copy(saved('start'), place);
        const { reached } = await signalAt(place.home, line, { ...moment, signal });
        deaths += reached ? 1 : 0;
        copy(place, saved('dead'));
        const firsts = [['undo', '--yes'], line, ...LOOKS];
        for (const first of TORTURE ? firsts : [firsts[(number + index) % firsts.length] ?? []]) {
          copy(saved('dead'), place);
          const where = `${signal} at ${moment.call} ${moment.when}, then: ${first.join(' ')}`;
          await wrap(where, () => check({ act, place, ids, oldest, whole, first }));
        }
      }
      // A harness that kills nothing proves nothing.
      expect(deaths).toBeGreaterThan(0);
    },
    3_600_000,
  );
});

interface Scene {
  readonly act: Act;
  readonly place: Place;
  readonly ids: readonly string[];
  /** What the folder holds in the first checkpoint, and before any command that changes it. */
  readonly oldest: unknown;
  readonly whole: unknown;
  readonly first: readonly string[];
}

async function check({ act, place, ids, oldest, whole, first }: Scene): Promise<void> {
  const { home, work } = place;
  const { code, err } = await say(KIND, home, first);
  const isUndo = first[0] === 'undo';
  if (LOOKS.includes(first as string[]) || (!isUndo && !act.name.startsWith('an ')))
    expect({ code, err }).toMatchObject({ code: 0 });
  // Undo may find nothing to undo where nothing had begun, and the same again nothing to empty.
  else expect([0, 10], err).toContain(code);
  if (isUndo && code === 0 && act.name === 'a restore') expect(listTree(work)).toEqual(whole);
  if (!isUndo && act.name === 'a restore' && first.includes('restore')) expect(listTree(work)).toEqual(oldest);
  await mustSay(KIND, home, ['maintain']);
  expect((await mustSay(KIND, home, ['doctor'])).out).not.toMatch(/--repair|was cut short|bad /);
  await mustSay(KIND, home, ['checkpoints', 'verify']);
  expect(unknownFiles(home)).toEqual([]);
  expect(Object.keys(listTree(work)).filter((name) => name.includes('.coppice'))).toEqual([]);
  await expectNothingLost({ act, place, ids });
}

/** Each checkpoint that was there is in the list or in the trash, and in one of them only, unless the trash was emptied. */
async function expectNothingLost({ act, place: { home }, ids }: Pick<Scene, 'act' | 'place' | 'ids'>): Promise<void> {
  const listed = await idsIn(home);
  const env = { PATH: process.env['PATH'], GIT_DIR: join(home, 'checkpoints', 'store') };
  const refs = spawnSync('git', ['for-each-ref', '--format=%(objectname)', 'refs/coppice/trash'], { env });
  const trashed = refs.stdout.toString().split('\n').filter(Boolean);
  expect(listed.filter((id) => trashed.includes(id))).toEqual([]);
  if (act.name !== 'an emptying of the trash')
    expect([...listed, ...trashed]).toEqual(expect.arrayContaining([...ids]));
}

/** Three checkpoints of a folder, oldest first, and a fourth state that none of them has. */
async function build({ home, work }: Place, act: Act) {
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'disk:\n  ballast_mb: never\n', { mode: 0o600 });
  await mustSay(KIND, home, ['config', 'init']);
  mkdirSync(work);
  const trees: unknown[] = [];
  for (const state of STATES) {
    writeTree(work, state);
    trees.push(listTree(work));
    await mustSay(KIND, home, ['checkpoints', 'take', work]);
  }
  writeTree(work, { ...STATES[1], a: text('four') });
  const ids = (await idsIn(home)).toReversed();
  const whole = listTree(work);
  for (const line of act.before(ids)) await mustSay(KIND, home, line);
  return { ids, oldest: trees[0], whole };
}

async function idsIn(home: string): Promise<string[]> {
  const { checkpoints } = await documentOf<{ checkpoints: { id: string }[] }>(KIND, home, [
    'checkpoints',
    'list',
    '--all',
  ]);
  return checkpoints.map(({ id }) => id);
}

function copy(from: Place, to: Place): void {
  copyHome(from.home, to.home);
  rmSync(to.work, { recursive: true, force: true });
  copyHome(from.work, to.work);
}
