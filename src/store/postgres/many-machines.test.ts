import { describe, expect, it } from 'vitest';
import { PostgresPlace } from '../../../test/support/postgres-store.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { kitClock } from '../../kit/kit-case.ts';
import { collect, user } from '../../kit/store/asking.ts';
import { removeSessions } from '../../kit/store/removing.ts';
import { SCHEMA_VERSION } from './schema/migrations.ts';
import { takeLock } from './locks/lock-rows.ts';

const CLOCK = kitClock();
const WISH = { name: 'work', isAlone: true, purpose: 'pruning on one', waitMs: 0 };

describe('homes in one database', () => {
  it('never see each other, whatever is asked', async () => {
    const [one, other] = [await new PostgresPlace().store(CLOCK), await new PostgresPlace().store(CLOCK)];
    await fill(one);
    const before = await everything(one);
    await fill(other);
    expect(await everything(other)).toEqual(before);
    await other.repair.forget(await other.holders());
    await removeSessions(other, ['s']);
    await other.routes.forget('key');
    expect(await everything(one)).toEqual(before);
    expect((await everything(other)).found).toEqual([]);
    for (const store of [one, other]) await store[Symbol.asyncDispose]();
  });

  it('is opened by many at once, and made once', async () => {
    const place = new PostgresPlace();
    const databases = await Promise.all([1, 2, 3, 4].map(() => place.database()));
    expect(new Set(databases.map(({ space }) => space)).size).toBe(1);
    expect(SCHEMA_VERSION).toBeGreaterThanOrEqual(11);
  });
});

describe('a lock of all machines', () => {
  it('goes to another when its holder says nothing any more, with a higher number, and is not given back by the first', async () => {
    const place = new PostgresPlace();
    const [one, other] = [await place.database(), await place.database()];
    const held = await takeLock(one, WISH);
    await expect(takeLock(other, WISH)).rejects.toThrow(/pruning on one/);
    await one.run(`UPDATE coppice.locks SET until = now() - interval '1 second' WHERE space = :space`);
    const next = await takeLock(other, { ...WISH, purpose: 'pruning on another' });
    expect(next.fence).toBeGreaterThan(held.fence);
    held[Symbol.dispose]();
    await one.settled();
    await expect(takeLock(one, WISH)).rejects.toThrow(/pruning on another/);
    next[Symbol.dispose]();
  });
});

describe('several machines in one session', () => {
  it('number their messages one after the other, and lose none', async () => {
    const place = new PostgresPlace();
    const [one, two] = [await place.store(CLOCK), await place.store(CLOCK)];
    const stores = [one, two, await place.store(CLOCK)];
    await one.create({ id: 's', source: 'cli' });
    const asked = Array.from({ length: 30 }, (_, n) => stores.map((store, at) => ({ store, text: `${at} says ${n}` })));
    const said = await Promise.all(
      asked.flat().map(async ({ store, text }) => ({ text, seq: (await store.append('s', [user(text)])).lastSeq })),
    );
    const inOrder = said.toSorted((a, b) => a.seq - b.seq);
    expect(inOrder.map(({ seq }) => seq)).toEqual(Array.from({ length: 90 }, (_, n) => n + 1));
    const stored = await collect(two.messages('s'));
    expect(stored.map(({ content }) => content)).toEqual(inOrder.map(({ text }) => text));
    for (const store of stores) await store[Symbol.asyncDispose]();
  });
});

async function fill(store: SessionStore): Promise<void> {
  await store.create({ id: 's', source: 'cli', title: 'spline' });
  await store.append('s', [user('reticulating splines')]);
  await store.recordUsage('s', { model: 'm', inputTokens: 3 });
  await store.routes.settle('key', () => ({ kind: 'start', session: { id: 'r', source: 'telegram' } }));
  await store.cron.saveJob('job', '{}');
  await store.deliveries.promise({ id: 'd', sessionId: 's', job: 'job', target: 'file' });
  await store.setMeta('what', 'is kept');
}

async function everything(store: SessionStore) {
  return {
    sessions: await collect(store.list()),
    messages: (await store.get('s')) === undefined ? [] : await collect(store.messages('s')),
    found: (await store.search({ text: 'reticul' })).map(({ session }) => session.id),
    routes: await collect(store.routes.list()),
    jobs: [...(await store.cron.jobs())],
    deliveries: await store.deliveries.open(),
    held: (await store.holders()).map(({ sessionIds }) => sessionIds),
    runs: await collect(store.journal.runs()),
    ledger: await collect(store.ledger()),
    meta: await store.getMeta('what'),
    counted: await store.counts.sessions(),
  };
}
