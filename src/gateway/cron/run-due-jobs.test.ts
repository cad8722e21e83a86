import { describe, expect, it } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { cronJob } from '../../../test/support/cron-job.ts';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { CronBook } from '../../core/gateway/cron-book.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import type { CronJob } from './cron-job.ts';
import { type CronParts, type JobEnd, runDueJobs, runJobNow } from './run-due-jobs.ts';

const DONE: JobEnd = { outcome: 'done' };
const job = (name: string, over: Partial<CronJob> = {}) => cronJob({ name, ...over });

function partsOf(store: SessionStore, over: Partial<CronParts> = {}): CronParts {
  const { cron: book, deliveries } = store;
  const usual = { clock: manualClock(), start: async () => DONE, since: NOW, maxParallel: 4 };
  return { book, deliveries, ...usual, dealtWith: new Map(), ...over };
}

describe('due jobs', () => {
  it('run every slot of two days once, and what is remembered stays bounded', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    const started: string[] = [];
    const parts = partsOf(store, {
      clock,
      start: async (_, sessionId) => {
        started.push(sessionId);
        return DONE;
      },
    });
    for (let at = NOW; at <= NOW + 48 * HOUR_MS; at += MINUTE_MS) {
      clock.set(at);
      await (await runDueJobs(parts, [job('report')], new Set())).ended;
    }
    expect(started).toHaveLength(4 * 48);
    expect(new Set(started).size).toBe(started.length);
    expect(await store.cron.runs('report', 1000)).toHaveLength(50);
  });

  it('are run by one of several schedulers', async () => {
    const clock = manualClock(NOW + 15 * MINUTE_MS);
    const root = tempDir();
    await using one = await openNativeStore(root, { clock });
    await using two = await openNativeStore(root, { clock });
    const ticks = await Promise.all(
      [one, two].map((store) => runDueJobs(partsOf(store, { clock }), [job('a')], new Set())),
    );
    expect(ticks.flatMap(({ started }) => started)).toEqual(['cron_a_20260115_121500']);
    for (const { ended } of ticks) await ended;
  });

  it('wait while as many run as may', async () => {
    const clock = manualClock(NOW + 15 * MINUTE_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    const finish: (() => void)[] = [];
    const start = () => new Promise<JobEnd>((resolve) => finish.push(() => resolve(DONE)));
    const running = new Set<string>();
    const parts = partsOf(store, { clock, start, maxParallel: 2 });
    const jobs = [job('a'), job('b'), job('c')];
    const first = await runDueJobs(parts, jobs, running);
    expect(first.started).toHaveLength(2);
    expect((await runDueJobs(parts, jobs, running)).started).toEqual([]);
    for (const done of finish.splice(0)) done();
    await first.ended;
    const later = await runDueJobs(parts, jobs, running);
    expect(later.started).toEqual(['cron_c_20260115_121500']);
    for (const done of finish) done();
    await later.ended;
  });

  it('that are always due have their turn, however many there are', async () => {
    const clock = manualClock();
    await using store = await openNativeStore(tempDir(), { clock });
    const turns: string[] = [];
    const start = async ({ name }: CronJob) => {
      turns.push(name);
      return DONE;
    };
    const parts = partsOf(store, { clock, start, maxParallel: 1 });
    const jobs = ['a', 'b', 'c', 'd'].map((name) => job(name, { schedule: '* * * * *' }));
    for (let minute = 0; minute < 12; minute += 1) {
      clock.advance(MINUTE_MS);
      await (await runDueJobs(parts, jobs, new Set())).ended;
    }
    expect(turns.join('')).toBe('abcdabcdabcd');
  });

  it('run once in each slot, although a clock that was wrong for long left runs in the future', async () => {
    const clock = manualClock(NOW + 400 * DAY_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    const tick = async (parts: CronParts) => {
      const { started, ended } = await runDueJobs(parts, [job('a')], new Set());
      await ended;
      return started;
    };
    const parts = partsOf(store, { clock, since: clock.now() });
    for (let run = 0; run < 60; run += 1) {
      clock.advance(15 * MINUTE_MS);
      expect(await tick(parts)).toHaveLength(1);
    }
    clock.set(NOW);
    expect(await tick(parts)).toEqual([]);
    clock.set(NOW + 15 * MINUTE_MS);
    expect(await tick(parts)).toEqual(['cron_a_20260115_121500']);
    clock.advance(MINUTE_MS);
    expect(await tick(parts)).toEqual([]);
    const restarted = partsOf(store, { clock, since: clock.now() });
    expect(await tick(restarted)).toEqual([]);
    clock.set(NOW + 30 * MINUTE_MS);
    expect(await tick(restarted)).toEqual(['cron_a_20260115_123000']);
  });

  it('leave slots alone that were before they were added or changed', async () => {
    const clock = manualClock(NOW + DAY_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    const parts = partsOf(store, { clock });
    const added = job('a', { schedule: '0 7 * * *', addedAt: clock.now() });
    expect((await runDueJobs(parts, [added], new Set())).started).toEqual([]);
    clock.advance(DAY_MS);
    const { started, ended } = await runDueJobs(parts, [added], new Set());
    expect(started).toEqual(['cron_a_20260117_070000']);
    await ended;
    const changed = { ...added, schedule: '0 8 * * *', addedAt: clock.now() };
    expect((await runDueJobs(parts, [changed], new Set())).started).toEqual([]);
  });

  it('are made up for when they were added before the scheduler began', async () => {
    const clock = manualClock(NOW + DAY_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    const added = job('a', { schedule: '0 7 * * *', addedAt: NOW });
    const { started, ended } = await runDueJobs(partsOf(store, { clock, since: clock.now() }), [added], new Set());
    expect(started).toEqual(['cron_a_20260116_070000']);
    await ended;
  });

  it('are passed over, and said so, while an earlier run is still going', async () => {
    const clock = manualClock(NOW + 15 * MINUTE_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    let finish: () => void = () => undefined;
    const start = () =>
      new Promise<JobEnd>((resolve) => {
        finish = () => resolve(DONE);
      });
    const running = new Set<string>();
    const parts = partsOf(store, { clock, start });
    const first = await runDueJobs(parts, [job('a')], running);
    clock.advance(15 * MINUTE_MS);
    expect((await runDueJobs(parts, [job('a')], running)).started).toEqual([]);
    finish();
    await first.ended;
    expect((await store.cron.runs('a', 5)).map(({ outcome }) => outcome)).toEqual(['missed', 'done']);
    clock.advance(15 * MINUTE_MS);
    const beside = await runDueJobs(parts, [job('a', { overlap: 'parallel' })], running);
    expect(beside.started).toHaveLength(1);
    finish();
    await beside.ended;
  });

  it('promise their delivery before they count as finished, also when the run failed', async () => {
    const clock = manualClock(NOW + 15 * MINUTE_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    const start = async (): Promise<JobEnd> => {
      throw new Error('no such program');
    };
    const deliver = [
      { kind: 'file', path: '/out' },
      { kind: 'webhook', url: 'http://127.0.0.1:1' },
    ] as const;
    const promisedAtEnd: number[] = [];
    const book: CronBook = {
      ...store.cron,
      async finish(run, outcome) {
        promisedAtEnd.push((await store.deliveries.open()).length);
        await store.cron.finish(run, outcome);
      },
    };
    await (await runDueJobs(partsOf(store, { clock, start, book }), [job('a', { deliver })], new Set())).ended;
    expect(promisedAtEnd).toEqual([2]);
    expect(await store.cron.runs('a', 1)).toMatchObject([{ outcome: 'failed' }]);
    expect((await store.deliveries.open()).map(({ id }) => id)).toEqual([
      'cron_a_20260115_121500:0',
      'cron_a_20260115_121500:1',
    ]);
  });

  it('say how each of them ended as soon as it did, whatever the others do', async () => {
    const clock = manualClock(NOW + 15 * MINUTE_MS);
    await using store = await openNativeStore(tempDir(), { clock });
    let finish: () => void = () => undefined;
    const long = new Promise<JobEnd>((resolve) => {
      finish = () => resolve(DONE);
    });
    const said: object[] = [];
    const start = async ({ name }: CronJob): Promise<JobEnd> => {
      if (name === 'long') return long;
      throw new Error('There is no command x.');
    };
    const parts = partsOf(store, { clock, start, onEnded: (run) => said.push(run) });
    const tick = await runDueJobs(parts, [job('long'), job('a')], new Set());
    const failed = { sessionId: 'cron_a_20260115_121500', outcome: 'failed', why: 'There is no command x.' };
    await expect.poll(() => said, { timeout: 30_000 }).toEqual([failed]);
    finish();
    await tick.ended;
    expect(said).toEqual([failed, { sessionId: 'cron_long_20260115_121500', outcome: 'done' }]);
  });

  it('that are run by hand leave no slots on record that nobody missed', async () => {
    const clock = manualClock(NOW);
    await using store = await openNativeStore(tempDir(), { clock });
    const parts = partsOf(store, { clock });
    const running = new Set<string>();
    expect(await runJobNow(parts, job('a'), running)).toEqual({ sessionId: 'cron_a_20260115_120000', ...DONE });
    expect(await runJobNow(parts, job('a'), running)).toBeUndefined();
    clock.advance(HOUR_MS + 1);
    expect(await runJobNow(parts, job('a'), running)).toMatchObject({ outcome: 'done' });
    expect((await store.cron.runs('a', 10)).map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    expect(running.size).toBe(0);
  });
});
