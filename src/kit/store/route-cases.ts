import assert from 'node:assert/strict';
import { collect, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import type { RouteChoice, RouteQuery } from '../../core/gateway/route-book.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { MINUTE_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Which session answers a key. */
export const routeCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'routes: gives a key to a new session, and keeps it',
    async run(desk) {
      const { facts: first } = await desk.store.routes.settle('telegram:42', orStart);
      has(first, { source: 'telegram', routeKey: 'telegram:42' });
      has((await desk.store.routes.settle('telegram:42', orStart)).facts, { id: first.id });
      has(await desk.store.routes.find('telegram:42'), {
        key: 'telegram:42',
        movedAt: KIT_NOW,
        session: { id: first.id },
      });
      assert.equal(await desk.store.routes.find('telegram:4'), undefined);
    },
  },
  {
    name: 'routes: ends the old session and moves the key in one step',
    async run(desk) {
      const { facts: old } = await desk.store.routes.settle('k', orStart);
      desk.clock.advance(MINUTE_MS);
      const session = { source: 'telegram', parentId: old.id, childKind: 'reset' } as const;
      const choice = { kind: 'start', session, endReason: 'reset: idle' } as const;
      const { facts: fresh } = await desk.store.routes.settle('k', () => choice);
      has(await desk.store.get(old.id), { endedAt: desk.clock.now(), endReason: 'reset: idle' });
      has(fresh, { parentId: old.id, childKind: 'reset' });
      has(await desk.store.routes.find('k'), { movedAt: desk.clock.now(), session: { id: fresh.id } });
    },
  },
  {
    name: 'routes: changes nothing when the new session cannot be started',
    async run(desk) {
      const { facts: old } = await desk.store.routes.settle('k', orStart);
      const session = { source: 'telegram', id: old.id };
      await assert.rejects(desk.store.routes.settle('k', () => ({ kind: 'start', session, endReason: 'reset' })));
      const kept = (await desk.store.routes.find('k'))?.session;
      assert.equal(kept?.id, old.id);
      assert.equal(kept?.endedAt, undefined);
    },
  },
  {
    name: 'routes: goes on with a session that ended by accident',
    async run(desk) {
      const { id } = (await desk.store.routes.settle('k', orStart)).facts;
      await desk.store.end(id, 'crash');
      assert.equal((await desk.store.routes.settle('k', () => ({ kind: 'resume' }))).facts.endedAt, undefined);
    },
  },
  {
    name: 'routes: ends a session only if that is still meant when it comes to it, and keeps the key with it',
    async run(desk) {
      const { id } = (await desk.store.routes.settle('k', orStart)).facts;
      const asked: (string | undefined)[] = [];
      const leave = ({ title }: SessionFacts) => void asked.push(title);
      const late = desk.store.change(id, { title: 'renamed since' });
      assert.equal(await desk.store.routes.end('k', leave), undefined);
      await late;
      assert.deepEqual([asked, (await desk.store.get(id))?.endedAt], [['renamed since'], undefined]);
      desk.clock.advance(MINUTE_MS);
      const ended = { id, endReason: 'reset: idle', endedAt: desk.clock.now() };
      has(await desk.store.routes.end('k', () => 'reset: idle'), ended);
      has((await desk.store.routes.find('k'))?.session, ended);
      assert.deepEqual(
        (await desk.store.holders()).flatMap(({ sessionIds }) => sessionIds),
        [],
      );
      assert.equal(await desk.store.routes.end('nobody', () => 'reset: idle'), undefined);
    },
  },
  {
    name: 'routes: goes with a session that is removed for good, and the next message starts another',
    async run(desk) {
      const { id } = (await desk.store.routes.settle('k', orStart)).facts;
      await removeSessions(desk.store, [id]);
      assert.equal(await desk.store.routes.find('k'), undefined);
      assert.deepEqual(await collect(desk.store.routes.list()), []);
      await assert.rejects(
        desk.store.routes.settle('k', () => KEEP),
        /none to go on with/,
      );
      const fresh = await desk.store.routes.settle('k', orStart);
      assert.notEqual(fresh.facts.id, id);
    },
  },
  {
    name: 'routes: never starts two sessions for one key, however many ask at once',
    async run(desk) {
      const one = desk.store;
      const two = await desk.openOther();
      const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).routes.settle('k', orStart));
      assert.equal(new Set((await Promise.all(asked)).map(({ facts }) => facts.id)).size, 1);
      assert.equal((await collect(one.list())).length, 1);
    },
  },
  {
    name: 'routes: lists and forgets',
    async run(desk) {
      for (const key of ['b', 'a', 'c%_*']) await desk.store.routes.settle(key, orStart);
      assert.deepEqual(
        (await collect(desk.store.routes.list())).map(({ key }) => key),
        ['a', 'b', 'c%_*'],
      );
      assert.equal(await desk.store.routes.forget('a'), true);
      assert.equal(await desk.store.routes.forget('a'), false);
      assert.equal((await collect(desk.store.list())).length, 3);
    },
  },
  {
    name: 'routes: lists the keys of one source, and those after a key, over pages',
    async run(desk) {
      const keys = Array.from({ length: 450 }, (_, n) => `k${String(n).padStart(3, '0')}`);
      for (const [n, key] of keys.entries()) {
        await desk.store.routes.settle(key, () => ({
          kind: 'start',
          session: { source: n % 2 === 0 ? 'even' : 'odd' },
        }));
      }
      const listed = async (query?: RouteQuery) => (await collect(desk.store.routes.list(query))).map(({ key }) => key);
      assert.deepEqual(await listed(), keys);
      assert.deepEqual(
        await listed({ source: 'odd' }),
        keys.filter((_, n) => n % 2 === 1),
      );
      assert.deepEqual(await listed({ source: 'even', after: 'k440' }), ['k442', 'k444', 'k446', 'k448']);
      assert.deepEqual(await listed({ source: 'nobody' }), []);
    },
  },
  {
    name: 'routes: refuses a key that is no text for one line',
    async run(desk) {
      for (const key of ['', 'a\nb', '\ud800']) {
        await assert.rejects(desk.store.routes.settle(key, orStart));
      }
    },
  },
  {
    name: 'routes: keeps what it holds in use',
    async run(desk) {
      const { id } = (await desk.store.routes.settle('k', orStart)).facts;
      await desk.store.append(id, [user('hello')]);
      assert.deepEqual(
        (await desk.store.holders()).flatMap(({ sessionIds }) => sessionIds),
        [id],
      );
    },
  },
]);

const START: RouteChoice = { kind: 'start', session: { source: 'telegram' } };

const KEEP: RouteChoice = { kind: 'keep' };

const orStart = (current: SessionFacts | undefined) => (current === undefined ? START : KEEP);
