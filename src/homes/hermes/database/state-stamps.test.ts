import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildHermesHome, HERMES_NOW } from '../../../../test/support/hermes-home.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { lastAutoPruneAt, noteAutoPrune } from './state-stamps.ts';

describe('the stamp of unattended runs', () => {
  it('is absent until the first one, and then where Hermes looks', async () => {
    const home = buildHermesHome(join(tempDir(), 'hermes'));
    expect(await lastAutoPruneAt(home, HERMES_NOW)).toBeUndefined();
    await noteAutoPrune(home, HERMES_NOW);
    await noteAutoPrune(home, HERMES_NOW + 1000);
    expect(await lastAutoPruneAt(home, HERMES_NOW + 1000)).toBe(HERMES_NOW + 1000);
  });

  it('says nothing when it lies in the future or is no time', async () => {
    for (const value of [String(HERMES_NOW / 1000 + 60), 'soon', '']) {
      const home = buildHermesHome(join(tempDir(), 'hermes'), { meta: { last_auto_prune: value } });
      expect(await lastAutoPruneAt(home, HERMES_NOW)).toBeUndefined();
    }
  });
});
