import assert from 'node:assert/strict';
import { checkProblems, collect, messagesOf, user } from './asking.ts';
import { removeSessions, runItem } from './removing.ts';
import { type FileMover, sessionFingerprint } from '../../core/stores/session-trash.ts';
import { DAY_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Sessions out of sight and back. */
export const trashCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'trash: hides a session from everyone, and shows it again exactly as it was',
    async run(desk) {
      const { files, options, anEnded, ledgerIds, moved } = trashAt(desk);
      const request = await anEnded('s');
      const before = [await desk.factsOf('s'), await messagesOf(desk.store, 's'), await desk.store.usageByModel('s')];
      assert.deepEqual(await desk.store.trash.hide('run', [request], options), [{ number: 1, status: 'done' }]);
      const other = await desk.openOther();
      assert.equal(await other.get('s'), undefined);
      assert.deepEqual([await desk.listed(), await desk.foundIds('hello'), await ledgerIds()], [[], [], ['s']]);
      await desk.reopen();
      assert.deepEqual(await desk.store.trash.show('run', [request], files), [{ number: 1, status: 'done' }]);
      assert.deepEqual(
        [await desk.factsOf('s'), await messagesOf(desk.store, 's'), await desk.store.usageByModel('s')],
        before,
      );
      assert.deepEqual([await desk.foundIds('hello'), await ledgerIds()], [['s'], []]);
      assert.deepEqual(moved, ['take s', 'give back s']);
    },
  },
  {
    name: 'trash: does each step once, however often it is asked',
    async run(desk) {
      const { files, options, anEnded, ledgerIds } = trashAt(desk);
      const request = await anEnded('s');
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await desk.store.trash.hide('run', [request], options), [{ number: 1, status: 'done' }]);
      assert.deepEqual(await ledgerIds(), ['s']);
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(await desk.store.trash.show('run', [request], files), [{ number: 1, status: 'done' }]);
      assert.deepEqual([await desk.listed(), await ledgerIds()], [['s'], []]);
    },
  },
  {
    name: 'trash: skips what changed, what is gone and what is in use, and lets go of its files',
    async run(desk) {
      const { options, anEnded, ledgerIds, moved } = trashAt(desk);
      const changed = await anEnded('changed');
      await desk.store.change('changed', { addTags: ['keep'] });
      const used = await anEnded('used');
      const other = await desk.openOther();
      await other.resume('used');
      await other.append('used', [user('more')]);
      const now = { ...used, number: 2, fingerprint: sessionFingerprint(await desk.factsOf('used')) };
      const gone = { number: 3, id: 'gone', fingerprint: '' };
      assert.deepEqual(await desk.store.trash.hide('run', [changed, now, gone], options), [
        { number: 1, status: 'skipped', detail: 'It has changed since the plan was made.' },
        { number: 2, status: 'skipped', detail: 'A process is using it.' },
        { number: 3, status: 'skipped', detail: 'It is gone already.' },
      ]);
      assert.deepEqual(moved, ['let go changed', 'let go used', 'let go gone']);
      assert.deepEqual(await ledgerIds(), []);
      await other.end('used', 'done');
      const ended = { ...now, fingerprint: sessionFingerprint(await desk.factsOf('used')) };
      assert.deepEqual(await desk.store.trash.hide('run', [ended], options), [{ number: 2, status: 'done' }]);
    },
  },
  {
    name: 'trash: keeps a session whose files cannot be moved',
    async run(desk) {
      const { files, options, anEnded, ledgerIds, obstruct } = trashAt(desk);
      const request = await anEnded('s');
      const detail = obstruct('The file system refused it.');
      const skipped = [{ number: 1, status: 'skipped', detail }];
      assert.deepEqual(await desk.store.trash.hide('run', [request], options), skipped);
      assert.deepEqual([await desk.listed(), await ledgerIds()], [['s'], []]);
      obstruct();
      await desk.store.trash.hide('run', [request], options);
      obstruct('The file system refused it.');
      assert.deepEqual(await desk.store.trash.show('run', [request], files), skipped);
      assert.deepEqual([await desk.listed(), await ledgerIds()], [[], ['s']]);
    },
  },
  {
    name: 'trash: never shows a session over another that has its id by now, nor one that is purged',
    async run(desk) {
      const { files, options, anEnded, moved } = trashAt(desk);
      const request = await anEnded('s');
      await desk.store.trash.hide('run', [request], options);
      await desk.say('s', 'another');
      has(await desk.store.trash.show('run', [request], files), [{ status: 'skipped' }]);
      await desk.store.trash.drop('run', [request]);
      assert.deepEqual(await desk.contents('s'), ['another']);
      await removeSessions(desk.store, ['s']);
      has(await desk.store.trash.show('run', [request], files), [{ status: 'skipped' }]);
      assert.deepEqual(moved, ['take s']);
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
  {
    name: 'trash: takes files from a session and gives them back, and touches what was begun since in neither',
    async run(desk) {
      const { files, anEnded, begin, options } = trashAt(desk);
      const request = await anEnded('s');
      await desk.store.recordDumps('s', { sizeBytes: 70 });
      const taken = { ...request, fingerprint: sessionFingerprint(await desk.factsOf('s')) };
      const before = await desk.factsOf('s');
      await begin('run', taken);
      const take = () => desk.store.trash.takeFiles('run', taken, { ...options, part: 'dumps' });
      has([await take(), await take()], [{ status: 'done' }, { status: 'done' }]);
      assert.deepEqual(await desk.factsOf('s'), { ...before, dumpBytes: 0 });
      has(await desk.store.trash.returnFiles('run', taken, files), { status: 'done' });
      assert.deepEqual(await desk.factsOf('s'), before);
      await desk.store.recordDumps('s', { sizeBytes: 5 });
      has(await desk.store.trash.returnFiles('run', taken, files), { status: 'done' });
      assert.deepEqual(await desk.factsOf('s'), { ...before, dumpBytes: 5 });
    },
  },
]);

function trashAt(desk: StoreDesk) {
  const moved: string[] = [];
  let obstacle: string | undefined;
  const obstruct = (sentence?: string) => (obstacle = sentence);
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
  const anEnded = async (id: string) => {
    await desk.say(id, `${id} says hello`);
    await desk.store.recordUsage(id, { model: 'm', inputTokens: 3, costUsd: 0.1 });
    await desk.store.end(id, 'done');
    return { number: 1, id, fingerprint: sessionFingerprint(await desk.factsOf(id)) };
  };
  const ledgerIds = async () => (await collect(desk.store.ledger())).map(({ id }) => id);
  const begin = async (run: string, request: { number: number; id: string; fingerprint: string }) => {
    await desk.store.journal.begin({
      id: run,
      request: { kind: 'policy' },
      startedAt: KIT_NOW,
      expiresAt: KIT_NOW + DAY_MS,
    });
    await desk.store.journal.intend(run, [runItem(request)]);
  };
  return { moved, obstruct, files, options, anEnded, ledgerIds, begin };
}
