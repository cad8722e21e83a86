import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { checkProblems, collect, messagesOf, user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import { runItem } from '../../../test/support/run-item.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { type FileMover, sessionFingerprint } from '../../core/sessions/session-trash.ts';
import { DAY_MS } from '../../core/time.ts';

/** Sessions out of sight and back. */
export function trashConformance(desk: StoreDesk): void {
  const { say, factsOf, contents, listed, foundIds, reopen, openOther } = desk;

  describe('trash', () => {
    const moved: string[] = [];
    let obstacle: string | undefined;
    const files: FileMover = {
      take: ({ id }) => {
        if (obstacle === undefined) moved.push(`take ${id}`);
        return obstacle;
      },
      bringBack: ({ id }) => {
        if (obstacle === undefined) moved.push(`give back ${id}`);
        return obstacle;
      },
      letGo: ({ id }) => void moved.push(`let go ${id}`),
    };
    const options = { files, deadHolders: [] };
    beforeEach(() => {
      moved.splice(0);
      obstacle = undefined;
    });

    const anEnded = async (id: string) => {
      await say(id, `${id} says hello`);
      await desk.store.recordUsage(id, { model: 'm', inputTokens: 3, costUsd: 0.1 });
      await desk.store.end(id, 'done');
      return { number: 1, id, fingerprint: sessionFingerprint(await factsOf(id)) };
    };
    const ledgerIds = async () => (await collect(desk.store.ledger())).map(({ id }) => id);
    const begin = async (run: string, request: { number: number; id: string; fingerprint: string }) => {
      await desk.store.journal.begin({ id: run, request: { kind: 'policy' }, startedAt: NOW, expiresAt: NOW + DAY_MS });
      await desk.store.journal.intend(run, [runItem(request)]);
    };

    it('hides a session from everyone, and shows it again exactly as it was', async () => {
      const request = await anEnded('s');
      const before = [await factsOf('s'), await messagesOf(desk.store, 's'), await desk.store.usageByModel('s')];
      expect(await desk.store.trash.hide('run', [request], options)).toEqual([{ number: 1, status: 'done' }]);
      const other = await openOther();
      expect(await other.get('s')).toBeUndefined();
      expect([await listed(), await foundIds('hello'), await ledgerIds()]).toEqual([[], [], ['s']]);
      await reopen();
      expect(await desk.store.trash.show('run', [request], files)).toEqual([{ number: 1, status: 'done' }]);
      expect([await factsOf('s'), await messagesOf(desk.store, 's'), await desk.store.usageByModel('s')]).toEqual(
        before,
      );
      expect([await foundIds('hello'), await ledgerIds()]).toEqual([['s'], []]);
      expect(moved).toEqual(['take s', 'give back s']);
    });

    it('does each step once, however often it is asked', async () => {
      const request = await anEnded('s');
      for (let time = 0; time < 2; time += 1)
        expect(await desk.store.trash.hide('run', [request], options)).toEqual([{ number: 1, status: 'done' }]);
      expect(await ledgerIds()).toEqual(['s']);
      for (let time = 0; time < 2; time += 1)
        expect(await desk.store.trash.show('run', [request], files)).toEqual([{ number: 1, status: 'done' }]);
      expect([await listed(), await ledgerIds()]).toEqual([['s'], []]);
    });

    it('skips what changed, what is gone and what is in use, and lets go of its files', async () => {
      const changed = await anEnded('changed');
      await desk.store.change('changed', { addTags: ['keep'] });
      const used = await anEnded('used');
      const other = await openOther();
      await other.resume('used');
      await other.append('used', [user('more')]);
      const now = { ...used, number: 2, fingerprint: sessionFingerprint(await factsOf('used')) };
      const gone = { number: 3, id: 'gone', fingerprint: '' };
      expect(await desk.store.trash.hide('run', [changed, now, gone], options)).toEqual([
        { number: 1, status: 'skipped', detail: 'It has changed since the plan was made.' },
        { number: 2, status: 'skipped', detail: 'A process is using it.' },
        { number: 3, status: 'skipped', detail: 'It is gone already.' },
      ]);
      expect(moved).toEqual(['let go changed', 'let go used', 'let go gone']);
      expect(await ledgerIds()).toEqual([]);
      await other.end('used', 'done');
      const ended = { ...now, fingerprint: sessionFingerprint(await factsOf('used')) };
      expect(await desk.store.trash.hide('run', [ended], options)).toEqual([{ number: 2, status: 'done' }]);
    });

    it('keeps a session whose files cannot be moved', async () => {
      const request = await anEnded('s');
      obstacle = 'The file system refused it.';
      const skipped = [{ number: 1, status: 'skipped', detail: obstacle }];
      expect(await desk.store.trash.hide('run', [request], options)).toEqual(skipped);
      expect([await listed(), await ledgerIds()]).toEqual([['s'], []]);
      obstacle = undefined;
      await desk.store.trash.hide('run', [request], options);
      obstacle = 'The file system refused it.';
      expect(await desk.store.trash.show('run', [request], files)).toEqual(skipped);
      expect([await listed(), await ledgerIds()]).toEqual([[], ['s']]);
    });

    it('never shows a session over another that has its id by now, nor one that is purged', async () => {
      const request = await anEnded('s');
      await desk.store.trash.hide('run', [request], options);
      await say('s', 'another');
      expect(await desk.store.trash.show('run', [request], files)).toMatchObject([{ status: 'skipped' }]);
      await desk.store.trash.drop('run', [request]);
      expect(await contents('s')).toEqual(['another']);
      await removeSessions(desk.store, ['s']);
      expect(await desk.store.trash.show('run', [request], files)).toMatchObject([{ status: 'skipped' }]);
      expect(moved).toEqual(['take s']);
      expect(await checkProblems(desk.store)).toEqual([]);
    });

    it('takes files from a session and gives them back, and touches what was begun since in neither', async () => {
      const request = await anEnded('s');
      await desk.store.recordDumps('s', { sizeBytes: 70 });
      const taken = { ...request, fingerprint: sessionFingerprint(await factsOf('s')) };
      const before = await factsOf('s');
      await begin('run', taken);
      const take = () => desk.store.trash.takeFiles('run', taken, { ...options, part: 'dumps' });
      expect([await take(), await take()]).toMatchObject([{ status: 'done' }, { status: 'done' }]);
      expect(await factsOf('s')).toEqual({ ...before, dumpBytes: 0 });
      expect(await desk.store.trash.returnFiles('run', taken, files)).toMatchObject({ status: 'done' });
      expect(await factsOf('s')).toEqual(before);
      await desk.store.recordDumps('s', { sizeBytes: 5 });
      expect(await desk.store.trash.returnFiles('run', taken, files)).toMatchObject({ status: 'done' });
      expect(await factsOf('s')).toEqual({ ...before, dumpBytes: 5 });
    });
  });
}
