import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anInventory, aPolicy, aSession, aTrash } from '../../test/support/inventories.ts';
import { always, anyDoubts, anyRequest, anyScene, anyTightScene } from '../../test/support/scenes.ts';
import { DAY_MS } from '../core/time.ts';
import { explainItem } from './explain-item.ts';
import { planRetention } from './plan-retention.ts';

describe('an explanation', () => {
  it('gives the decision of the plan, and the first check that nothing stops is the reason for it', () => {
    const asked = fc.record({ scene: anyScene, request: anyRequest, doubts: anyDoubts, at: fc.nat() });
    always(asked, ({ scene, request, doubts, at }) => {
      const inventory = { ...scene.inventory, doubts };
      const options = { policy: scene.policy, now: NOW, request };
      const { decisions } = planRetention(inventory, options);
      const decision = decisions[at % Math.max(1, decisions.length)];
      if (decision === undefined) return;
      const found = explainItem(inventory, decision.item, options);
      expect(found?.decision).toEqual(decision);
      const decisive = found?.checks.find(({ met, stoppedBy }) => met && stoppedBy !== 'keep-last');
      const reason = decisive?.stoppedBy ?? decisive?.rule ?? 'not-expired';
      const inLineage = (found?.lineage.length ?? 0) > 0 && decision.action === 'keep';
      if (!inLineage) expect(decision.reason).toBe(reason);
    });
  });

  it('says when space is the reason', () => {
    always(fc.tuple(anyTightScene, fc.nat()), ([{ inventory, policy }, at]) => {
      const { decisions } = planRetention(inventory, { policy, now: NOW });
      const decision = decisions[at % Math.max(1, decisions.length)];
      if (decision === undefined) return;
      const found = explainItem(inventory, decision.item, { policy, now: NOW });
      expect(found?.checks.at(-1)?.rule === 'pressure').toBe(decision.reason === 'pressure');
    });
  });

  it('shows every rule with its limit, and what stops it', () => {
    const inventory = anInventory({ sessions: [aSession('it')] });
    const found = explainItem(inventory, { kind: 'session', id: 'it' }, { policy: aPolicy(), now: NOW });
    expect(found?.checks.filter(({ met }) => met)).toEqual([
      { rule: 'retention', met: true, limitMs: 90 * DAY_MS, stoppedBy: 'keep-last' },
      { rule: 'keep-last', met: true },
    ]);
    expect(found?.checks.map(({ rule }) => rule)).toEqual([
      'not-selected',
      'active',
      'routed',
      'open',
      'pinned',
      'future',
      'unreadable',
      'young',
      'tagged',
      'empty',
      'trivial',
      'retention',
      'after-reset',
      'archive-age',
      'max-sessions',
      'transcript-retention',
      'transcript-after-reset',
      'dump-age',
      'keep-last',
    ]);
  });

  it('names the sessions that share the fate', () => {
    const sessions = [
      aSession('first', { pinned: true }),
      aSession('next', { parentId: 'first', childKind: 'continuation' }),
    ];
    const found = explainItem(
      anInventory({ sessions }),
      { kind: 'session', id: 'next' },
      { policy: aPolicy(), now: NOW },
    );
    expect(found?.decision.reason).toBe('lineage-pinned');
    expect(found?.lineage.map(({ id }) => id)).toEqual(['first', 'next']);
  });

  it('tells items of one id apart by their kind, and knows nothing of what is not there', () => {
    const inventory = anInventory({ sessions: [aSession('x')], trash: [aTrash('x')] });
    const explain = (kind: 'trash' | 'archive') =>
      explainItem(inventory, { kind, id: 'x' }, { policy: aPolicy(), now: NOW });
    expect(explain('trash')?.decision.reason).toBe('trash-expired');
    expect(explain('archive')).toBeUndefined();
  });
});
