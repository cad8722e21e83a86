import assert from 'node:assert/strict';
import { user } from './asking.ts';
import { NO_FILES, trashRequest } from './removing.ts';
import { IN_USE } from '../../core/sessions/in-use.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { HOUR_MS } from '../../core/time.ts';
import type { KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** What is in use, which nothing may take, and what was only left, which may be closed. */
export const inUseCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'what is in use: is neither removed nor archived nor parted from its files, whatever is asked',
    async run(desk) {
      const { aRouted, attempts } = inUseAt(desk);
      await desk.say('leased', 'hello');
      assert.deepEqual(await attempts('leased'), fourTimes(IN_USE.active));
      await desk.store.release('leased');
      assert.deepEqual(await attempts('leased'), fourTimes(IN_USE.open));
      const routed = await aRouted('chat:1');
      assert.deepEqual(await attempts(routed), fourTimes(IN_USE.routed));
      await desk.store.end(routed, 'crash');
      assert.deepEqual(await attempts(routed), fourTimes(IN_USE.routed));
      assert.deepEqual(new Set(await desk.listed()), new Set(['leased', routed]));
    },
  },
  {
    name: 'what is in use: is not what only a dead process claims',
    async run(desk) {
      const other = await desk.openOther();
      await desk.say('s', 'hello');
      await other.append('s', [user('more')]);
      await desk.store.end('s', 'done');
      const request = await trashRequest(desk.store, 's');
      has(await desk.store.trash.hide('run', [request], ANY_FILES), [{ detail: IN_USE.active }]);
      const deadHolders = (await desk.store.holders()).map(({ id }) => id);
      const outcomes = await desk.store.trash.hide('run', [request], { files: NO_FILES, deadHolders });
      assert.deepEqual(outcomes, [{ number: 1, status: 'done' }]);
    },
  },
  {
    name: 'what is in use: keeps the other parts of its conversation',
    async run(desk) {
      await desk.say('first', 'hello');
      await desk.store.end('first', 'done');
      await desk.create({ id: 'next', parentId: 'first', childKind: 'continuation' });
      await desk.store.release('next');
      const outcomes = await desk.store.trash.hide('run', [await trashRequest(desk.store, 'first')], ANY_FILES);
      has(outcomes, [{ detail: 'Another part of its conversation is in use.' }]);
    },
  },
  {
    name: 'what is in use: is free once it was ended on purpose, also after an accident and while a key still names it',
    async run(desk) {
      const { aRouted } = inUseAt(desk);
      const id = await aRouted('chat:1');
      await desk.store.end(id, 'crash');
      await desk.store.end(id, 'done');
      has(await desk.store.trash.hide('run', [await trashRequest(desk.store, id)], ANY_FILES), [{ status: 'done' }]);
    },
  },
  {
    name: 'what is in use: is told by the keys and by what was never ended',
    async run(desk) {
      const { aRouted } = inUseAt(desk);
      const [one, two] = [await aRouted('chat:1'), await aRouted('chat:2')];
      await desk.say('alone', 'hello');
      await desk.say('ended', 'hello');
      await desk.store.end('ended', 'done');
      await desk.store.end(two, 'done');
      assert.deepEqual(await desk.store.routes.named(), new Set([one, two]));
      for (const sort of ['last', 'stored'] as const) {
        assert.deepEqual(new Set(await desk.listed({ open: true, sort })), new Set([one, 'alone']));
      }
      assert.deepEqual(await desk.listed({ open: true, source: 'cli' }), ['alone']);
      await desk.store.trash.hide('run', [await trashRequest(desk.store, two)], ANY_FILES);
      assert.deepEqual(await desk.store.routes.named(), new Set([one]));
    },
  },
  {
    name: 'ending: by accident can be followed by an end on purpose, and by no other',
    async run(desk) {
      await desk.create({ id: 's' });
      const crashed = await desk.store.end('s', 'crash');
      desk.clock.advance(HOUR_MS);
      assert.deepEqual(await desk.store.end('s', 'abandoned'), crashed);
      const ended = { endReason: 'closed', endedAt: desk.clock.now() };
      has(await desk.store.end('s', 'closed'), ended);
      desk.clock.advance(HOUR_MS);
      for (const reason of ['crash', 'done']) has(await desk.store.end('s', reason), ended);
    },
  },
  {
    name: 'ending: as abandoned ends with the next message, and any other end does not',
    async run(desk) {
      await desk.say('s', 'a');
      await desk.store.end('s', 'abandoned');
      desk.clock.advance(HOUR_MS);
      const other = await desk.openOther();
      has(await other.append('s', [user('b')]), { firstSeq: 2 });
      const facts = await desk.factsOf('s');
      has(facts, { lastActiveAt: desk.clock.now() });
      assert.deepEqual([facts.endedAt, facts.endReason], [undefined, undefined]);
      await desk.store.end('s', 'crash');
      await assert.rejects(other.append('s', [user('c')]), { code: 'refused' });
    },
  },
  {
    name: 'what is unused: is ended where it is as it was, and only there',
    async run(desk) {
      const { unused, close } = unusedAt(desk);
      const left = await unused();
      desk.clock.advance(HOUR_MS);
      assert.deepEqual(await close([left, { ...left, id: 'nobody' }]), ['left']);
      has(await desk.factsOf('left'), { endReason: 'abandoned', endedAt: desk.clock.now() });
      assert.deepEqual(await close([left]), []);
    },
  },
  ...Object.entries<(id: string, desk: StoreDesk) => Promise<unknown>>({
    'was used since': (id, desk) => desk.store.recordUsage(id, { model: 'm', inputTokens: 1 }),
    'was taken up by a process': async (id, desk) => (await desk.openOther()).append(id, [user('more')]),
    'got a message of a process that has let go of it': async (id, desk) => {
      desk.clock.advance(-HOUR_MS);
      const other = await desk.openOther();
      await other.append(id, [user('more')]);
      await other.release(id);
    },
    'was ended by somebody': (id, desk) => desk.store.end(id, 'done'),
  }).map(
    ([what, change]): KitCase<StoreDesk> => ({
      name: `what is unused: stays when it ${what}`,
      async run(desk) {
        const { unused, close } = unusedAt(desk);
        const left = await unused();
        desk.clock.advance(HOUR_MS);
        await change('left', desk);
        const before = await desk.factsOf('left');
        assert.deepEqual(await close([left]), []);
        assert.deepEqual(await desk.factsOf('left'), before);
      },
    }),
  ),
  {
    name: 'what is unused: stays while a process holds it, and goes with the process',
    async run(desk) {
      const { close } = unusedAt(desk);
      const other = await desk.openOther();
      await other.create({ id: 'held', source: 'cli' });
      const seen = await desk.factsOf('held');
      desk.clock.advance(HOUR_MS);
      assert.deepEqual(await close([seen]), []);
      const dead = (await desk.store.holders()).map(({ id }) => id);
      assert.deepEqual(await close([seen], dead), ['held']);
    },
  },
  {
    name: 'what is unused: stays while it answers a key',
    async run(desk) {
      const { aRouted, close } = unusedAt(desk);
      const seen = await desk.factsOf(await aRouted('chat:1'));
      desk.clock.advance(HOUR_MS);
      assert.deepEqual(await close([seen]), []);
    },
  },
  {
    name: 'what is unused: is never ended under the hands of a process that takes it up at the same moment',
    async run(desk) {
      const { close } = unusedAt(desk);
      const other = await desk.openOther();
      const ids = Array.from({ length: 120 }, (_, at) => `s${at}`);
      for (const id of ids) await desk.create({ id });
      for (const id of ids) await desk.store.release(id);
      const seen = await Promise.all(ids.map(desk.factsOf));
      desk.clock.advance(HOUR_MS);
      await Promise.all([close(seen), ...ids.map((id) => other.append(id, [user('I am here')]))]);
      const facts = await Promise.all(ids.map(desk.factsOf));
      assert.deepEqual(
        facts.filter(({ endedAt }) => endedAt !== undefined),
        [],
      );
    },
  },
  {
    name: 'what is unused: is closed in one go, however many there are',
    async run(desk) {
      const { close } = unusedAt(desk);
      const ids = Array.from({ length: 250 }, (_, at) => `s${at}`);
      for (const id of ids) await desk.create({ id });
      for (const id of ids) await desk.store.release(id);
      assert.deepEqual(new Set(await close(await Promise.all(ids.map(desk.factsOf)))), new Set(ids));
      assert.deepEqual(await desk.listed({ open: true }), []);
    },
  },
]);

const fourTimes = (sentence: string) => Array.from({ length: 4 }, () => sentence);

function inUseAt(desk: StoreDesk) {
  /** A session that answers a key, and that no process holds. */
  const aRouted = async (key: string) => {
    const choice = { kind: 'start', session: { source: 'chat' } } as const;
    const { id } = (await desk.store.routes.settle(key, () => choice)).facts;
    await desk.store.release(id);
    return id;
  };
  /** What becomes of a session when all of it, only its files, or its place outside the archive is to go. */
  const attempts = async (id: string) => {
    const request = await trashRequest(desk.store, id);
    return [
      ...(await desk.store.trash.hide('run', [request], ANY_FILES)),
      await desk.store.trash.takeFiles('run', request, { ...ANY_FILES, part: 'all' }),
      await desk.store.trash.takeFiles('run', request, { ...ANY_FILES, part: 'dumps' }),
      ...(await desk.store.archive.seal('run', [{ ...request, member: { ...NO_MEMBER, lineCount: 0 } }], ANY_FILES)),
    ].map((outcome) => ('detail' in outcome ? outcome.detail : outcome.status));
  };
  return { aRouted, attempts };
}

function unusedAt(desk: StoreDesk) {
  const { aRouted } = inUseAt(desk);
  const unused = async () => {
    await desk.say('left', 'hello');
    await desk.store.release('left');
    return desk.factsOf('left');
  };
  const close = (sessions: readonly SessionFacts[], deadHolders: readonly string[] = []) =>
    desk.store.endUnused(sessions, { reason: 'abandoned', deadHolders });
  return { aRouted, unused, close };
}

const ANY_FILES = { files: NO_FILES, deadHolders: [] };

const NO_MEMBER = { bundle: '', offsetBytes: 0, lengthBytes: 0, codec: 'brotli', sha256: '', plainBytes: 0 } as const;
