import { describe, expect, it } from 'vitest';
import { jsonOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_NOW, type HermesHomeSpec } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import { treeState } from '../support/hermes-tree.ts';

let home: string;
eachHermesScene((scene) => ({ home } = scene));

const LEFT = { id: 'left', end: 'open', messages: ['hello'] };

describe('ending a session that a crash left open in a Hermes home', () => {
  it.each([25, 30, 'legacy'] as const)(
    'is done as Hermes does it, and it ages from then on (schema %s)',
    async (schema) => {
      buildHermesHome(home, { schema, sessions: [LEFT, { id: 'done' }] });
      const { code, out } = await runOn(home, ['sessions', 'end', 'left']);
      expect({ code, out }).toEqual({ code: 0, out: 'left  ended (ws_orphan_reap)\n' });
      expect(await jsonOn(home, ['sessions', 'show', 'left'])).toMatchObject({
        endedAt: new Date(HERMES_NOW).toISOString(),
      });
      const pruned = await runOn(home, ['sessions', 'prune', '--older-than', '30d', '--dry-run']);
      expect(pruned.out).toMatch(/1 item would go/);
    },
  );

  it('changes nothing about one that has ended', async () => {
    buildHermesHome(home, { sessions: [{ id: 'done' }] });
    const before = treeState(home);
    expect((await runOn(home, ['sessions', 'end', 'done'])).code).toBe(0);
    expect(treeState(home)).toEqual(before);
  });

  it.each<[string, HermesHomeSpec]>([
    ['A chat of Hermes leads to it.', { sessions: [LEFT], routes: [{ key: 'k', sessionId: 'left' }] }],
    ['Hermes is at work in it.', { schema: 30, sessions: [LEFT], turnLeases: [{ id: 'left', expiresAt: HERMES_NOW }] }],
    ['It was used within the last hour', { sessions: [{ ...LEFT, startedAt: HERMES_NOW - 60_000 }] }],
    ['Its search index is being rebuilt', { sessions: [LEFT], meta: { fts_stale: '1' } }],
  ])('is refused where it may be in use or nothing may be changed: %s', async (sentence, spec) => {
    buildHermesHome(home, spec);
    const { code, err } = await runOn(home, ['sessions', 'end', 'left']);
    expect(code).toBe(5);
    expect(err).toContain(sentence);
    expect(await jsonOn(home, ['sessions', 'show', 'left'])).not.toHaveProperty('endedAt');
  });
});
