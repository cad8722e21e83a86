import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import type { RunRecord } from '../../src/gateway/run/run-record.ts';
import { currentProcess } from '../../src/platform/machine/process-identity.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('a job that runs by the clock', () => {
  it('runs, delivers its output, and leaves its session in the trash and in the ledger', async () => {
    const clock = manualClock();
    const path = tempDir();
    const out = join(path, 'out');
    await using home = await openHome({ path: join(path, 'home'), clock, env: {} });
    const scheduler = await home.scheduler();
    await scheduler.add('hello', {
      schedule: '*/15 * * * *',
      command: ['sh', '-c', 'echo "hello from $COPPICE_SESSION_ID"'],
      deliver: [{ file: join(out, '{session}.txt') }],
    });
    clock.advance(15 * MINUTE_MS);
    const tick = await scheduler.tick();
    await tick.ended;
    expect(tick.started).toEqual(['cron_hello_20260115_121500']);
    expect((await scheduler.deliver()).arrived).toHaveLength(1);
    expect(readFileSync(join(out, 'cron_hello_20260115_121500.txt'), 'utf8')).toBe(
      'hello from cron_hello_20260115_121500\n',
    );
    expect(await collect(home.sessions.list())).toEqual([]);
    const [run] = await collect((await home.retention()).runs());
    await home.undo(run?.id ?? '');
    expect((await collect(home.sessions.list())).map(({ endReason }) => endReason)).toEqual(['done']);
  });

  it('every quarter of an hour for two days leaves bounded rows and files', async () => {
    const clock = manualClock();
    const path = tempDir();
    await using home = await openHome({ path: join(path, 'home'), clock, env: {} });
    const scheduler = await home.scheduler();
    const spec = { schedule: '*/15 * * * *', command: ['true'], deliver: [{ file: join(path, 'out', 'latest.txt') }] };
    await scheduler.add('tick', spec);
    for (let at = NOW + 15 * MINUTE_MS; at <= NOW + 2 * DAY_MS; at += 15 * MINUTE_MS) {
      clock.set(at);
      await (await scheduler.tick()).ended;
      if (at % (4 * HOUR_MS) === 0) await scheduler.deliver();
    }
    expect(await collect(home.sessions.list())).toEqual([]);
    expect(existsSync(join(path, 'home', 'sessions'))).toBe(false);
    expect(readdirSync(join(path, 'out'))).toEqual(['latest.txt']);
    expect(await scheduler.lastRuns('tick', 1000)).toHaveLength(50);
    clock.advance(8 * DAY_MS);
    const retention = await home.retention();
    await home.apply(await home.plan());
    expect((await retention.scan()).trash).toEqual([]);
  });

  it('comes by the clocks of its time zone, and waits while as many run as are allowed', async () => {
    const clock = manualClock();
    const settings = [{ key: 'cron.max_parallel', value: '1' }];
    await using home = await openHome({ path: tempDir(), clock, env: {}, settings });
    const scheduler = await home.scheduler();
    const spec = { schedule: '0 22 * * *', command: ['true'], time_zone: 'Asia/Tokyo' };
    for (const name of ['a', 'b']) await scheduler.add(name, spec);
    expect(await scheduler.next('a', 1)).toEqual([NOW + HOUR_MS]);
    clock.advance(HOUR_MS);
    const first = await scheduler.tick();
    expect(first.started).toEqual(['cron_a_20260115_130000']);
    await first.ended;
    const second = await scheduler.tick();
    expect(second.started).toEqual(['cron_b_20260115_130000']);
    await second.ended;
  });

  it('that is added or changed does not make up for slots of before', async () => {
    const clock = manualClock();
    await using home = await openHome({ path: tempDir(), clock, env: {} });
    const scheduler = await home.scheduler();
    clock.advance(DAY_MS);
    for (const schedule of ['0 7 * * *', '0 8 * * *']) {
      await scheduler.add('report', { schedule, command: ['true'] });
      expect((await scheduler.tick()).started).toEqual([]);
      clock.advance(DAY_MS);
      const { started, ended } = await scheduler.tick();
      expect(started).toHaveLength(1);
      await ended;
    }
  });

  it('says what is wrong with a job before it is added', async () => {
    await using home = await openHome({ path: tempDir(), env: {} });
    const scheduler = await home.scheduler();
    await expect(scheduler.add('a', { schedule: 'soon', command: ['true'] })).rejects.toThrow(/^schedule: "soon"/);
    const elsewhere = { schedule: '@daily', command: ['true'], time_zone: 'Mars/Olympus' };
    await expect(scheduler.add('a', elsewhere)).rejects.toThrow(/^time_zone: "Mars\/Olympus"/);
    await expect(scheduler.add('../a', { schedule: '* * * * *', command: ['true'] })).rejects.toThrow(/name of a job/);
    await expect(scheduler.add('a', { schedule: '* * * * *', command: [] })).rejects.toThrow(/^command: /);
    expect(await scheduler.jobs()).toEqual([]);
  });

  it('of a daemon that died is closed by the next start, and what it owed is delivered', async () => {
    const clock = manualClock();
    const path = tempDir();
    {
      await using home = await openHome({ path: join(path, 'home'), clock, env: {} });
      const spec = { schedule: '*/15 * * * *', command: ['true'], deliver: [{ file: join(path, 'out.txt') }] };
      await (await home.scheduler()).add('a', spec);
      clock.advance(HOUR_MS);
      await (await (await home.scheduler()).tick()).ended;
    }
    await using home = await openHome({ path: join(path, 'home'), clock, env: {} });
    const scheduler = await home.scheduler();
    await scheduler.recover();
    expect((await scheduler.deliver()).arrived).toHaveLength(1);
    expect(existsSync(join(path, 'out.txt'))).toBe(true);
  });

  it('keeps its session after the delivery where the configuration says so', async () => {
    const clock = manualClock();
    const path = tempDir();
    const settings = [{ key: 'cron.after_delivery', value: 'keep' }];
    await using home = await openHome({ path: join(path, 'home'), clock, env: {}, settings });
    const scheduler = await home.scheduler();
    await scheduler.add('a', { schedule: '@daily', command: ['true'], deliver: [{ file: join(path, 'out.txt') }] });
    expect(await scheduler.run('a')).toMatchObject({ outcome: 'done', undelivered: 0 });
    expect((await collect(home.sessions.list())).map(({ id }) => id)).toEqual(['cron_a_20260115_120000']);
  });

  it('whose output was being sent when the daemon died is delivered at the next start, and marked', async () => {
    const clock = manualClock();
    const path = tempDir();
    const out = join(path, 'out.txt');
    await using home = await openHome({ path: join(path, 'home'), clock, env: {} });
    const scheduler = await home.scheduler();
    const command = ['sh', '-c', `echo "$COPPICE_MAYBE_REPEATED" > ${out}`];
    await scheduler.add('a', { schedule: '*/15 * * * *', command: ['true'], deliver: [{ command }] });
    clock.advance(15 * MINUTE_MS);
    await (await scheduler.tick()).ended;
    const db = new BetterSqlite3(join(path, 'home', 'state.db'));
    db.prepare(`UPDATE deliveries SET state = 'sending', attempts = 1, next_attempt_at = ?`).run(clock.now() + HOUR_MS);
    db.close();
    expect((await scheduler.deliver()).arrived).toEqual([]);
    await scheduler.recover();
    expect((await scheduler.deliver()).arrived).toHaveLength(1);
    expect(readFileSync(out, 'utf8')).toBe('1\n');
  });

  it('whose process died after its end and before its delivery was promised is delivered by the next start', async () => {
    const { home, out, claimed } = await diedAtWork('done');
    await using _ = home;
    const scheduler = await home.scheduler();
    await scheduler.recover();
    expect(await scheduler.lastRuns('a', 1)).toMatchObject([{ sessionId: claimed, outcome: 'done' }]);
    expect((await scheduler.deliver()).arrived).toHaveLength(1);
    expect(readFileSync(out, 'utf8')).toBe('a report\n');
  });

  it('whose process died at work is lost on record, delivers nothing, and comes again at its next slot', async () => {
    const { home, out, claimed } = await diedAtWork();
    await using _ = home;
    const scheduler = await home.scheduler();
    const tick = await scheduler.tick();
    await tick.ended;
    expect(tick.started).toEqual(['cron_a_20260115_121500']);
    expect(await scheduler.lastRuns('a', 2)).toMatchObject([
      { outcome: 'done' },
      { sessionId: claimed, outcome: 'lost' },
    ]);
    expect(await home.sessions.find(claimed)).toMatchObject({ endReason: 'crash' });
    expect((await scheduler.deliver()).arrived).toHaveLength(1);
    expect(readFileSync(out, 'utf8')).toBe('');
  });
});

describe('a job that was at work when its machine or container was started again', () => {
  it('is lost on record once its claim is old, and comes again at its next slot', async () => {
    const { home, claimed, clock, path } = await diedAtWork();
    await using _ = home;
    beforeLastStart(path, claimed);
    const scheduler = await home.scheduler();
    clock.set(NOW + 5 * MINUTE_MS);
    await (await scheduler.tick()).ended;
    // Somebody else may be at it: a machine that shares the home says so every minute.
    expect(await scheduler.lastRuns('a', 1)).toMatchObject([{ sessionId: claimed }]);
    expect((await home.sessions.find(claimed)).endedAt).toBeUndefined();
    clock.set(NOW + 15 * MINUTE_MS);
    const tick = await scheduler.tick();
    await tick.ended;
    expect(tick.started).toEqual(['cron_a_20260115_121500']);
    expect(await scheduler.lastRuns('a', 2)).toMatchObject([{ outcome: 'done' }, { outcome: 'lost' }]);
    expect(await home.sessions.find(claimed)).toMatchObject({ endReason: 'crash' });
  });
});

/** What a power cut leaves: a run on record whose supervisor belongs to an earlier start of the machine. */
function beforeLastStart(path: string, sessionId: string): void {
  const earlier = { ...currentProcess(), bootId: 'an-earlier-start' };
  const db = new BetterSqlite3(join(path, 'home', 'state.db'));
  db.prepare('UPDATE holders SET boot_id = ?').run(earlier.bootId);
  const record: RunRecord = { runId: 'earlier', sessionId, supervisor: earlier };
  db.prepare('INSERT INTO supervised_runs VALUES (?, ?)').run(record.runId, JSON.stringify(record));
  db.close();
}

/** A home in which a process took the slot of noon, recorded the run, ended it if a reason is given, and was killed. */
async function diedAtWork(endReason?: string) {
  const clock = manualClock();
  const path = tempDir();
  const out = join(path, 'out.txt');
  const home = await openHome({ path: join(path, 'home'), clock, env: {} });
  const spec = { schedule: '*/15 * * * *', command: ['true'], deliver: [{ file: out }] };
  await (await home.scheduler()).add('a', spec);
  const claimed = 'cron_a_20260115_120000';
  const session = await home.sessions.create({ id: claimed, source: 'cron' });
  await session.append({ role: 'assistant', content: 'a report' });
  if (endReason !== undefined) await session.end(endReason);
  const db = new BetterSqlite3(join(path, 'home', 'state.db'));
  db.prepare('INSERT INTO cron_runs VALUES (?, ?, ?, ?, NULL, NULL)').run('a', NOW, claimed, NOW);
  db.close();
  clock.advance(15 * MINUTE_MS);
  return { home, out, claimed, clock, path };
}
