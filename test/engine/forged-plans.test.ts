import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Decision, isRemoval, type Plan, type Removal } from '../../src/core/retention/plan.ts';
import type { RunItem } from '../../src/core/retention/run.ts';
import { SEED } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { treeOf } from '../support/engine-checker.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { ARCHIVE_REQUEST, buildScene, copyScene, FILES_REQUEST, RUN_AT } from '../support/engine-scene.ts';
import { tempDir } from '../support/temp-dir.ts';

const ACTIONS = ['remove', 'archive', 'drop-files', 'drop-dumps', 'purge'] as const;
const KINDS = ['session', 'orphan', 'debris', 'trash', 'archive', 'checkpoint'] as const;
const REASONS = ['retention', 'debris', 'orphan', 'trash-expired', 'pressure', 'named'] as const;

describe('a plan that this home did not make', () => {
  let at: EngineHome;
  let path: string;

  beforeEach(async () => {
    const directory = tempDir();
    await buildScene(join(directory, 'built'));
    path = copyScene(join(directory, 'built'), join(directory, 'scene'));
    at = await openEngineHome(path, { clock: manualClock(RUN_AT) });
    onTestFinished(() => at[Symbol.asyncDispose]());
  });

  const filesIn = () => ({ sessions: treeOf(join(path, 'sessions')), archive: treeOf(join(path, 'archive')) });
  const shown = async () => JSON.stringify(await collect(at.parts.store.list({ sort: 'stored' })));

  /** By another path, as it would come from a file. */
  const sent = (plan: Plan): Plan => JSON.parse(JSON.stringify(plan)) as Plan;

  function stampOf(id: string): string {
    const { size, mtimeMs } = statSync(join(path, id));
    return `${Math.floor(mtimeMs)}:${size}`;
  }

  it.each(['sessions/', 'sessions//', 'sessions/.', 'archive/'])('purges nothing under the name %s', async (id) => {
    await at.retention.apply(await at.retention.plan(ARCHIVE_REQUEST));
    const [before, sessions] = [filesIn(), await shown()];
    const plan = await at.retention.plan();
    for (const fingerprint of [stampOf(id), stampOfAll(path, id)]) {
      const forged = {
        item: { kind: 'debris', id },
        action: 'purge',
        reason: 'debris',
        sizeBytes: 1,
        fingerprint,
      } as const;
      const { done, skipped } = await at.retention.apply({ ...plan, decisions: [forged] }, { forGood: true });
      expect({ done, skipped }).toEqual({ done: 0, skipped: 1 });
    }
    expect([filesIn(), await shown()]).toEqual([before, sessions]);
  });

  it.each(['orphan', 'debris'] as const)(
    'takes no directory of a session for %s, whoever asks the driver',
    async (kind) => {
      const before = filesIn();
      const items = ['a_b', 'in use', 'a'].map((session, index): RunItem => {
        const id = `sessions/${at.parts.layout.sessionPath(session)}`;
        const fingerprint = stampOfAll(path, id);
        const about = { action: 'remove', reason: kind, sizeBytes: 1, skipsTrash: true, state: 'intended' } as const;
        return { number: index + 1, item: { kind, id }, fingerprint, ...about };
      });
      const outcomes = await at.engine.driver.discard('run', items);
      expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped']);
      expect(filesIn()).toEqual(before);
    },
  );

  it('takes no bundle that archived sessions are in, and one that nobody refers to', async () => {
    await at.retention.apply(await at.retention.plan(ARCHIVE_REQUEST));
    const [bundle = ''] = readdirSync(join(path, 'archive'));
    const spare = bundle.replace(/[0-9a-f]{8}\.tar$/, '00000000.tar');
    copyFileSync(join(path, 'archive', bundle), join(path, 'archive', spare));
    const about = { action: 'remove', reason: 'debris', sizeBytes: 1, skipsTrash: false, state: 'intended' } as const;
    const items = [bundle, spare].map((name, index): RunItem => {
      const id = `archive/${name}`;
      return { number: index + 1, item: { kind: 'debris', id }, fingerprint: stampOf(id), ...about };
    });
    const outcomes = await at.engine.driver.discard('run', items);
    expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'done']);
    expect(readdirSync(join(path, 'archive'))).toEqual([bundle]);
    expect((await at.retention.restore(['a'])).done).toBe(1);
  });

  it('is carried out as far as this home decides the same', async () => {
    const plan = await at.retention.plan();
    const skipped: string[] = [];
    const { done } = await at.retention.apply(sent(plan), {
      onOutcome: ({ item, status }) => status === 'skipped' && skipped.push(item.id),
    });
    // What was in it is debris, and went first.
    expect(skipped).toEqual(['sessions/ff/broken']);
    expect(done).toBe(plan.decisions.filter(isRemoval).length - 1);
  });

  it('empties no trash early that says that it expired', async () => {
    const { run } = await at.retention.apply(await at.retention.plan(FILES_REQUEST));
    const plan = await at.retention.plan();
    const trash = (await at.retention.scan()).trash.find(({ id }) => id === run.id);
    const forged: Decision = {
      item: { kind: 'trash', id: run.id },
      sizeBytes: 1,
      action: 'purge',
      reason: 'trash-expired',
      fingerprint: trash?.fingerprint ?? '',
    };
    expect(await at.retention.apply({ ...plan, decisions: [forged] })).toMatchObject({ done: 0, skipped: 1 });
    expect((await at.retention.undo(run.id)).skipped).toBe(0);
  });

  it('removes nothing that the honest one would not, however it is changed', async () => {
    const honest = await at.retention.plan();
    const removals = honest.decisions.filter(isRemoval);
    const inventory = await at.retention.scan();
    const known = [...inventory.sessions, ...inventory.strays].map(({ id, fingerprint }) => ({ id, fingerprint }));
    const ids = [...known.map(({ id }) => id), 'sessions/', 'sessions', 'state.db', '../outside', 'sessions/ff'];
    const anId = fc.constantFrom(...ids, ...known.map(({ id }) => `sessions/${at.parts.layout.sessionPath(id)}`));
    const aPrint = fc.constantFrom(
      ...known.map(({ fingerprint }) => fingerprint),
      ...ids.map((id) => stampOfAll(path, id)),
    );
    const change = fc.record(
      {
        kind: fc.constantFrom(...KINDS),
        id: anId,
        fingerprint: aPrint,
        action: fc.constantFrom(...ACTIONS),
        reason: fc.constantFrom(...REASONS),
      },
      { requiredKeys: [] },
    );
    const mutants = fc.sample(fc.tuple(fc.constantFrom(...removals), change), { numRuns: 400, seed: SEED });
    const forged = mutants.map(([removal, { kind, id, ...rest }]): Removal => {
      const item = { kind: kind ?? removal.item.kind, id: id ?? removal.item.id };
      return { ...removal, ...rest, item };
    });
    const allowed = new Set(removals.map(({ item, action }) => `${item.kind} ${item.id} ${action}`));
    const done: string[] = [];
    await at.retention.apply(
      { ...honest, decisions: forged },
      {
        forGood: true,
        onOutcome: ({ item, action, status }) => status === 'done' && done.push(`${item.kind} ${item.id} ${action}`),
      },
    );
    expect(done.filter((each) => !allowed.has(each))).toEqual([]);
    const left = new Set((await collect(at.parts.store.list({ sort: 'stored' }))).map(({ id }) => id));
    const kept = honest.decisions.filter(({ action, item }) => action === 'keep' && item.kind === 'session');
    expect(kept.map(({ item }) => item.id).filter((id) => !left.has(id))).toEqual([]);
  });
});

/** What a directory would be known by if it were a stray: its newest time and what is in it. */
function stampOfAll(root: string, id: string): string {
  const at = join(root, id);
  const stat = statSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return '0:0';
  if (!stat.isDirectory()) return `${Math.floor(stat.mtimeMs)}:${stat.size}`;
  const files = Object.keys(treeOf(at))
    .map((name) => statSync(join(at, name)))
    .filter((each) => each.isFile());
  const newest = Math.max(stat.mtimeMs, ...files.map(({ mtimeMs }) => mtimeMs));
  return `${Math.floor(newest)}:${files.reduce((sum, { size }) => sum + size, 0)}`;
}
