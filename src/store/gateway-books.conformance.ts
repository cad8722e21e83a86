import { describe, expect, it } from 'vitest';
import { type ManualClock, manualClock, NOW } from '../../test/support/clock.ts';
import { collect, user } from '../../test/support/collect.ts';
import { removeSessions } from '../../test/support/remove-sessions.ts';
import type { RouteChoice, RouteQuery } from '../core/gateway/route-book.ts';
import type { SessionFacts } from '../core/sessions/session.ts';
import type { SessionStore } from '../core/sessions/session-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';

/** What a store must do for the gateway: routes, scheduled runs and deliveries. `open` is called anew for each process. */
export function testGatewayBooks(openAt: (clock: ManualClock) => () => Promise<SessionStore>): void {
  testRoutes(openAt);
  testCron(openAt);
  testDeliveries(openAt);
}

const START: RouteChoice = { kind: 'start', session: { source: 'telegram' } };
const KEEP: RouteChoice = { kind: 'keep' };
const orStart = (current: SessionFacts | undefined) => (current === undefined ? START : KEEP);

function testRoutes(openAt: (clock: ManualClock) => () => Promise<SessionStore>): void {
  describe('routes', () => {
    it('gives a key to a new session, and keeps it', async () => {
      await using store = await openAt(manualClock())();
      const { facts: first } = await store.routes.settle('telegram:42', orStart);
      expect(first).toMatchObject({ source: 'telegram', routeKey: 'telegram:42' });
      expect((await store.routes.settle('telegram:42', orStart)).facts).toMatchObject({ id: first.id });
      expect(await store.routes.find('telegram:42')).toMatchObject({
        key: 'telegram:42',
        movedAt: NOW,
        session: { id: first.id },
      });
      expect(await store.routes.find('telegram:4')).toBeUndefined();
    });

    it('ends the old session and moves the key in one step', async () => {
      const clock = manualClock();
      await using store = await openAt(clock)();
      const { facts: old } = await store.routes.settle('k', orStart);
      clock.advance(MINUTE_MS);
      const session = { source: 'telegram', parentId: old.id, childKind: 'reset' } as const;
      const choice = { kind: 'start', session, endReason: 'reset: idle' } as const;
      const { facts: fresh } = await store.routes.settle('k', () => choice);
      expect(await store.get(old.id)).toMatchObject({ endedAt: clock.now(), endReason: 'reset: idle' });
      expect(fresh).toMatchObject({ parentId: old.id, childKind: 'reset' });
      expect(await store.routes.find('k')).toMatchObject({ movedAt: clock.now(), session: { id: fresh.id } });
    });

    it('changes nothing when the new session cannot be started', async () => {
      await using store = await openAt(manualClock())();
      const { facts: old } = await store.routes.settle('k', orStart);
      const session = { source: 'telegram', id: old.id };
      await expect(store.routes.settle('k', () => ({ kind: 'start', session, endReason: 'reset' }))).rejects.toThrow();
      const kept = (await store.routes.find('k'))?.session;
      expect(kept?.id).toBe(old.id);
      expect(kept?.endedAt).toBeUndefined();
    });

    it('goes on with a session that ended by accident', async () => {
      await using store = await openAt(manualClock())();
      const { id } = (await store.routes.settle('k', orStart)).facts;
      await store.end(id, 'crash');
      expect((await store.routes.settle('k', () => ({ kind: 'resume' }))).facts.endedAt).toBeUndefined();
    });

    it('ends a session only if that is still meant when it comes to it, and keeps the key with it', async () => {
      const clock = manualClock();
      await using store = await openAt(clock)();
      const { id } = (await store.routes.settle('k', orStart)).facts;
      const asked: (string | undefined)[] = [];
      const leave = ({ title }: SessionFacts) => void asked.push(title);
      const late = store.change(id, { title: 'renamed since' });
      expect(await store.routes.end('k', leave)).toBeUndefined();
      await late;
      expect([asked, (await store.get(id))?.endedAt]).toEqual([['renamed since'], undefined]);
      clock.advance(MINUTE_MS);
      const ended = { id, endReason: 'reset: idle', endedAt: clock.now() };
      expect(await store.routes.end('k', () => 'reset: idle')).toMatchObject(ended);
      expect((await store.routes.find('k'))?.session).toMatchObject(ended);
      expect((await store.holders()).flatMap(({ sessionIds }) => sessionIds)).toEqual([]);
      expect(await store.routes.end('nobody', () => 'reset: idle')).toBeUndefined();
    });

    it('goes with a session that is removed for good, and the next message starts another', async () => {
      await using store = await openAt(manualClock())();
      const { id } = (await store.routes.settle('k', orStart)).facts;
      await removeSessions(store, [id]);
      expect(await store.routes.find('k')).toBeUndefined();
      expect(await collect(store.routes.list())).toEqual([]);
      await expect(store.routes.settle('k', () => KEEP)).rejects.toThrow(/none to go on with/);
      const fresh = await store.routes.settle('k', orStart);
      expect(fresh.facts.id).not.toBe(id);
    });

    it('never starts two sessions for one key, however many ask at once', async () => {
      const open = openAt(manualClock());
      await using one = await open();
      await using two = await open();
      const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).routes.settle('k', orStart));
      expect(new Set((await Promise.all(asked)).map(({ facts }) => facts.id)).size).toBe(1);
      expect(await collect(one.list())).toHaveLength(1);
    });

    it('lists and forgets', async () => {
      await using store = await openAt(manualClock())();
      for (const key of ['b', 'a', 'c%_*']) await store.routes.settle(key, orStart);
      expect((await collect(store.routes.list())).map(({ key }) => key)).toEqual(['a', 'b', 'c%_*']);
      expect(await store.routes.forget('a')).toBe(true);
      expect(await store.routes.forget('a')).toBe(false);
      expect(await collect(store.list())).toHaveLength(3);
    });

    it('lists the keys of one source, and those after a key, over pages', async () => {
      await using store = await openAt(manualClock())();
      const keys = Array.from({ length: 450 }, (_, n) => `k${String(n).padStart(3, '0')}`);
      for (const [n, key] of keys.entries()) {
        await store.routes.settle(key, () => ({ kind: 'start', session: { source: n % 2 === 0 ? 'even' : 'odd' } }));
      }
      const listed = async (query?: RouteQuery) => (await collect(store.routes.list(query))).map(({ key }) => key);
      expect(await listed()).toEqual(keys);
      expect(await listed({ source: 'odd' })).toEqual(keys.filter((_, n) => n % 2 === 1));
      expect(await listed({ source: 'even', after: 'k440' })).toEqual(['k442', 'k444', 'k446', 'k448']);
      expect(await listed({ source: 'nobody' })).toEqual([]);
    });

    it('refuses a key that is no text for one line', async () => {
      await using store = await openAt(manualClock())();
      for (const key of ['', 'a\nb', '\ud800']) {
        await expect(store.routes.settle(key, orStart)).rejects.toThrow();
      }
    });

    it('keeps what it holds in use', async () => {
      await using store = await openAt(manualClock())();
      const { id } = (await store.routes.settle('k', orStart)).facts;
      await store.append(id, [user('hello')]);
      expect((await store.holders()).flatMap(({ sessionIds }) => sessionIds)).toEqual([id]);
    });
  });
}

function testCron(openAt: (clock: ManualClock) => () => Promise<SessionStore>): void {
  describe('scheduled runs', () => {
    const slot = { job: 'report', dueAt: NOW, sessionId: 'cron_report_1' };

    it('remembers jobs that were added', async () => {
      await using store = await openAt(manualClock())();
      await store.cron.saveJob('b', '{"v":1}');
      await store.cron.saveJob('a', '{}');
      await store.cron.saveJob('b', '{"v":2}');
      expect([...(await store.cron.jobs())]).toEqual([
        ['a', '{}'],
        ['b', '{"v":2}'],
      ]);
      expect(await store.cron.dropJob('b')).toBe(true);
      expect(await store.cron.dropJob('b')).toBe(false);
    });

    it('gives a slot to one process only', async () => {
      const open = openAt(manualClock());
      await using one = await open();
      await using two = await open();
      const claims = await Promise.all([one, two, one, two].map(({ cron }) => cron.claim(slot)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await two.cron.unfinished()).toMatchObject([{ ...slot, startedAt: NOW }]);
    });

    it('keeps the first outcome of a run', async () => {
      await using store = await openAt(manualClock())();
      await store.cron.claim(slot);
      await store.cron.finish(slot, 'done');
      await store.cron.finish(slot, 'lost');
      expect(await store.cron.runs('report', 10)).toEqual([
        { ...slot, startedAt: NOW, finishedAt: NOW, outcome: 'done' },
      ]);
      expect(await store.cron.unfinished()).toEqual([]);
    });

    it('forgets all but the newest runs, and none that is still going', async () => {
      await using store = await openAt(manualClock())();
      for (let number = 0; number < 10; number += 1) {
        const run = { job: 'report', dueAt: NOW + number, sessionId: `s${number}` };
        await store.cron.claim(run);
        if (number !== 2) await store.cron.finish(run, 'done');
      }
      await store.cron.trim('report', 3);
      const left = (await store.cron.runs('report', 100)).map(({ sessionId }) => sessionId);
      expect(left).toEqual(['s9', 's8', 's7', 's2']);
    });
  });
}

function testDeliveries(openAt: (clock: ManualClock) => () => Promise<SessionStore>): void {
  describe('deliveries', () => {
    const parcel = { id: 'd1', sessionId: 's1', job: 'report', target: '{}' };

    it('survives a restart until it has arrived', async () => {
      const clock = manualClock();
      const open = openAt(clock);
      {
        await using store = await open();
        await store.deliveries.promise(parcel);
      }
      await using store = await open();
      expect(await store.deliveries.due(NOW)).toMatchObject([{ ...parcel, state: 'waiting', attempts: 0 }]);
      await store.deliveries.begin('d1');
      await store.deliveries.delivered('d1');
      expect(await store.deliveries.due(NOW)).toEqual([]);
      expect(await store.deliveries.open()).toEqual([]);
    });

    it('is promised once, however often it is asked for', async () => {
      await using store = await openAt(manualClock())();
      await store.deliveries.promise(parcel);
      await store.deliveries.begin('d1');
      await store.deliveries.promise(parcel);
      expect(await store.deliveries.open()).toMatchObject([{ state: 'sending', attempts: 1 }]);
    });

    it('is sent by one process at a time', async () => {
      const open = openAt(manualClock());
      await using one = await open();
      await using two = await open();
      await one.deliveries.promise(parcel);
      const begun = await Promise.all([one, two].map(({ deliveries }) => deliveries.begin('d1')));
      expect(begun.filter((delivery) => delivery !== undefined)).toHaveLength(1);
    });

    it('waits between attempts, and counts one whose end nobody saw', async () => {
      const clock = manualClock();
      await using store = await openAt(clock)();
      await store.deliveries.promise(parcel);
      await store.deliveries.begin('d1');
      await store.deliveries.failed('d1', 'no answer', NOW + MINUTE_MS);
      expect(await store.deliveries.due(NOW + 59 * SECOND_MS)).toEqual([]);
      expect(await store.deliveries.due(NOW + MINUTE_MS)).toMatchObject([{ lastError: 'no answer', attempts: 1 }]);
      await store.deliveries.begin('d1');
      expect(await store.deliveries.reclaim()).toBe(1);
      expect(await store.deliveries.begin('d1')).toMatchObject({ attempts: 3 });
      await store.deliveries.failed('d1', 'no answer');
      expect(await store.deliveries.open('s1')).toMatchObject([{ state: 'given-up' }]);
      expect(await store.deliveries.due(NOW + DAY_MS)).toEqual([]);
      await store.deliveries.trim(clock.now() + 1);
      expect(await store.deliveries.open('s1')).toEqual([]);
    });

    it('is due again when whoever began it has said nothing for minutes', async () => {
      const clock = manualClock();
      await using store = await openAt(clock)();
      await store.deliveries.promise(parcel);
      await store.deliveries.begin('d1');
      clock.advance(MINUTE_MS);
      expect(await store.deliveries.due(clock.now())).toEqual([]);
      expect(await store.deliveries.begin('d1')).toBeUndefined();
      clock.advance(HOUR_MS);
      expect(await store.deliveries.due(clock.now())).toMatchObject([{ id: 'd1', state: 'sending' }]);
      expect(await store.deliveries.begin('d1')).toMatchObject({ attempts: 2 });
    });
  });
}
