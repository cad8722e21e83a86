import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../test/support/clock.ts';
import { collect } from '../../test/support/collect.ts';
import { type EngineHome, openEngineHome } from '../../test/support/engine-home.ts';
import { buildScene, copyScene, RUN_AT } from '../../test/support/engine-scene.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import { recoverRuns } from './recover-runs.ts';
import { undoRun } from './undo-run.ts';

describe('an undo', () => {
  let at: EngineHome;
  let runId: string;

  beforeEach(async () => {
    const directory = tempDir();
    await buildScene(join(directory, 'built'));
    at = await openEngineHome(copyScene(join(directory, 'built'), join(directory, 'scene')), {
      clock: manualClock(RUN_AT),
    });
    onTestFinished(() => at[Symbol.asyncDispose]());
    const plan = await at.retention.plan({ kind: 'delete', ids: ['a', 'recent'] });
    runId = (await at.retention.apply(plan)).run.id;
  });

  const statesOf = async () => (await collect(at.engine.journal.items(runId))).map(({ state }) => state);

  it('takes nothing for given back of which the driver does not say so, and recovery goes on with it', async () => {
    const driver: HomeDriver = { ...at.engine.driver, restore: async () => [] };
    const outcomes = await collect(undoRun({ ...at.engine, driver }, runId));
    expect(outcomes.map(({ status, detail }) => [status, detail])).toEqual([
      ['skipped', 'It was not reached.'],
      ['skipped', 'It was not reached.'],
    ]);
    expect(await statesOf()).toEqual(['undoing', 'undoing']);
    expect(await at.parts.store.get('a')).toBeUndefined();

    const [recovered] = await collect(recoverRuns(at.engine));
    expect(recovered?.givenBack.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await statesOf()).toEqual(['restored', 'restored']);
    expect((await at.parts.store.get('a'))?.id).toBe('a');
  });
});
