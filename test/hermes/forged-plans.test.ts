import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { isRemoval, type PlanRequest, type Removal } from '../../src/core/retention/plan.ts';
import { campaignSize, SEED } from '../support/campaign.ts';
import { addV2Checkpoints } from '../support/hermes-checkpoints.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import { treeFiles } from '../support/hermes-tree.ts';

let root: string;
let home: string;
eachHermesScene((scene) => ({ root, home } = scene));

const KINDS = ['session', 'orphan', 'debris', 'trash', 'archive', 'checkpoint', 'worktree'] as const;
const ACTIONS = ['remove', 'archive', 'drop-files', 'drop-dumps', 'purge'] as const;
const REASONS = ['retention', 'debris', 'orphan', 'max-snapshots', 'gone', 'said-gone', 'named', 'selected'] as const;
const COPY = 'state.db.malformed-backup-20260101_000000';

function build(): void {
  buildHermesHome(home, {
    sessions: [
      { id: 'old', messages: ['hello'], files: ['dump', 'snapshot'] },
      { id: 'older', messages: ['hello', 'you'], startedAt: HERMES_NOW - 200 * HERMES_DAY },
      { id: 'pinned', messages: ['hello'], pinned: true, files: ['dump'] },
      { id: 'open', messages: ['hello'], end: 'open' },
      { id: 'young', messages: ['hello'], startedAt: HERMES_NOW - HERMES_DAY },
    ],
    files: { 'sessions/20260101_000000_abcdef.jsonl': '{}\n', [COPY]: 'copy', [`${COPY.slice(0, -1)}1`]: 'newer' },
  });
  const project = { workdir: join(root, 'work'), reasons: ['one', 'two', 'three', 'four'] };
  addV2Checkpoints(join(home, 'checkpoints'), { ...project, firstAt: HERMES_NOW - HERMES_DAY });
}

const REQUESTS: readonly (readonly [string, PlanRequest])[] = [
  ['the rules', { kind: 'policy' }],
  ['a prune', { kind: 'prune', filter: {}, before: HERMES_NOW - 150 * HERMES_DAY, part: 'all' }],
  ['a name', { kind: 'delete', ids: ['older'] }],
  ['limits of checkpoints', { kind: 'checkpoints', maxSnapshots: 2, keepOrphans: true }],
];

describe('a forged plan for a Hermes home with checkpoints', () => {
  it.each(REQUESTS)('removes nothing that the honest one would not: %s', async (_, request) => {
    build();
    await using at = await openHome({ path: home, clock: { now: () => HERMES_NOW } });
    const honest = await at.plan(request);
    const removals = honest.decisions.filter(isRemoval);
    const whole = await (await at.retention()).scan();
    const known = [...whole.sessions, ...whole.strays, ...whole.checkpoints].map((item) => ({
      id: item.id,
      fingerprint: item.fingerprint,
    }));
    expect(known.length).toBeGreaterThan(9);
    const inHome = treeFiles(home).filter((path) => !path.startsWith('.coppice'));
    const ids = [
      ...known.map(({ id }) => id),
      ...inHome,
      'sessions/',
      'checkpoints/',
      'checkpoints/store',
      '../work',
      '',
    ];
    const change = fc.record(
      {
        kind: fc.constantFrom(...KINDS),
        id: fc.constantFrom(...ids),
        fingerprint: fc.constantFrom(...known.map(({ fingerprint }) => fingerprint), '', '0:0'),
        action: fc.constantFrom(...ACTIONS),
        reason: fc.constantFrom(...REASONS),
        skipsTrash: fc.constant(true),
      },
      { requiredKeys: [] },
    );
    const models: readonly Removal[] =
      removals.length > 0
        ? removals
        : [{ item: { kind: 'session', id: 'old' }, sizeBytes: 1, action: 'remove', reason: 'named', fingerprint: '' }];
    const numRuns = campaignSize({ usual: 150, torture: 2000 });
    const mutants = fc.sample(fc.tuple(fc.constantFrom(...models), change), { numRuns, seed: SEED });
    const forged = mutants.map(([removal, { kind, id, ...rest }]) => {
      const item = { kind: kind ?? removal.item.kind, id: id ?? removal.item.id };
      return { ...removal, ...rest, item } as Removal;
    });
    const allowed = new Set(removals.map(({ item, action }) => `${item.kind} ${item.id} ${action}`));
    const done: string[] = [];
    const { run } = await at.apply(
      { ...honest, decisions: forged },
      {
        forGood: true,
        onOutcome: ({ item, action, status }) => status === 'done' && done.push(`${item.kind} ${item.id} ${action}`),
      },
    );
    expect(done.filter((each) => !allowed.has(each))).toEqual([]);
    const kept = new Set(
      honest.decisions.filter((one) => !isRemoval(one)).map(({ item }) => `${item.kind} ${item.id}`),
    );
    const after = await (await at.retention()).scan();
    const left = new Set(
      [...after.sessions, ...after.strays, ...after.checkpoints].map(({ kind, id }) => `${kind} ${id}`),
    );
    expect([...kept].filter((each) => /^(session|orphan|checkpoint) /.test(each) && !left.has(each))).toEqual([]);
    // What did go is what the rules let go, and comes back.
    await at.undo(run.id);
    const back = new Set(treeFiles(home));
    expect(inHome.filter((path) => path.startsWith('sessions/') && !back.has(path))).toEqual([]);
    expect(back.has(COPY)).toBe(true);
  });
});
