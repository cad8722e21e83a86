import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigOverride } from '../../src/app/config/config-settings.ts';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { outputMessage } from '../../src/core/sessions/message.ts';
import { sessionBytes } from '../../src/core/sessions/session.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { type ManualClock, manualClock, NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

function open(clock: ManualClock, settings: Record<string, string> = {}, path = tempDir()): Promise<Home> {
  const overrides: ConfigOverride[] = Object.entries(settings).map(([key, value]) => ({ key, value }));
  return openHome({ path, clock, env: {}, settings: overrides });
}

const MB = 1024 * 1024;
const TELEGRAM = { key: 'telegram:42', source: 'telegram' };

/** Starts a run that works until the function it returns is called, which tells the session it worked in. */
async function beginRun(home: Home, path: string): Promise<() => Promise<string>> {
  mkdirSync(path);
  const script = 'touch begun; while [ -e begun ] && [ ! -e end ]; do sleep 0.02; done';
  const run = home.gateway.run({ ...TELEGRAM, command: 'sh', args: ['-c', script], cwd: path });
  await expect.poll(() => existsSync(join(path, 'begun')), { timeout: 30_000 }).toBe(true);
  return async () => {
    writeFileSync(join(path, 'end'), '');
    return (await run).session.id;
  };
}

describe('resolving a key', () => {
  it('takes no step in a session that another process has filled', async () => {
    const path = tempDir();
    const settings = { 'limits.messages': '3' };
    await using home = await open(manualClock(), settings, path);
    await using other = await open(manualClock(), settings, path);
    await using turn = (await home.gateway.resolve(TELEGRAM)).beginTurn();
    expect((await turn.beforeIteration()).kind).toBe('ok');
    const there = await other.gateway.resolve(TELEGRAM);
    for (const text of ['one', 'two', 'three']) await there.append(user(text));
    expect(await turn.beforeIteration()).toMatchObject({
      kind: 'reset',
      causes: [{ rule: 'messages', used: 3, limit: 3 }],
    });
  });

  it('creates a session and goes on with it', async () => {
    await using home = await open(manualClock());
    const first = await home.gateway.resolve(TELEGRAM);
    const again = await home.gateway.resolve(TELEGRAM);
    expect([first.resolution.kind, again.resolution.kind]).toEqual(['created', 'continued']);
    expect(again.id).toBe(first.id);
  });

  it('resumes after an accident and starts afresh after an end on purpose', async () => {
    await using home = await open(manualClock());
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.end('crash');
    expect(await home.gateway.resolve(TELEGRAM)).toMatchObject({ id, resolution: { kind: 'resumed' } });
    await session.end('closed');
    const fresh = await home.gateway.resolve(TELEGRAM);
    expect(fresh.resolution).toEqual({ kind: 'reset', reason: 'ended', previousId: id });
    expect(fresh.facts).toMatchObject({ parentId: id, childKind: 'reset', routeKey: 'telegram:42' });
  });

  it('starts afresh after idle time, ends the old session with the reason, and links the new one', async () => {
    const clock = manualClock();
    await using home = await open(clock, { 'session_reset.mode': 'idle', 'session_reset.idle_minutes': '30' });
    const { id } = await home.gateway.resolve(TELEGRAM);
    clock.advance(30 * MINUTE_MS);
    const fresh = await home.gateway.resolve(TELEGRAM);
    expect(fresh.facts.parentId).toBe(id);
    expect(await home.sessions.get(id)).toMatchObject({ endReason: 'reset: idle', endedAt: clock.now() });
  });

  it('forces a reset when a conversation has grown too long', async () => {
    await using home = await open(manualClock(), { 'limits.messages': '3' });
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.appendAll([user('1'), user('2'), user('3')]);
    expect((await home.gateway.resolve(TELEGRAM)).resolution).toEqual({
      kind: 'reset',
      reason: 'messages',
      previousId: id,
    });
  });

  it('does not count what an agent printed as messages', async () => {
    await using home = await open(manualClock(), { 'limits.messages': '3' });
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.appendAll(['1', '2', '3', '4'].map((line) => outputMessage('stdout', line)));
    expect(await home.gateway.resolve(TELEGRAM)).toMatchObject({ id, resolution: { kind: 'continued' } });
  });

  it.each(['on', 'off'])(
    'is reset at the very size at which a turn was told so, transcripts %s',
    async (transcripts) => {
      const settings = { 'limits.mb': '1', 'sessions.transcripts': transcripts };
      await using home = await open(manualClock(), settings);
      const resolved = await home.gateway.resolve(TELEGRAM);
      const kinds: string[] = [];
      for (let n = 0; n < 100 && kinds.at(-1) !== 'reset'; n += 1) {
        expect((await home.gateway.resolve(TELEGRAM)).id).toBe(resolved.id);
        kinds.push((await resolved.append(user('"quoted"\n'.repeat(4000)))).verdict.kind);
      }
      const { length } = kinds;
      expect(new Set(kinds)).toEqual(new Set(['ok', 'warn', 'reset']));
      const [listed] = await collect(home.sessions.list());
      expect(listed && sessionBytes(listed)).toBeGreaterThanOrEqual(MB);
      expect(listed && (sessionBytes(listed) * (length - 1)) / length).toBeLessThan(MB);
      expect(await resolved.beginTurn().beforeIteration()).toMatchObject({ kind: 'reset' });
      expect((await home.gateway.resolve(TELEGRAM)).resolution).toMatchObject({ kind: 'reset', reason: 'size' });
    },
  );

  it('takes no step when others have filled the session, however they did', async () => {
    await using home = await open(manualClock(), { 'limits.messages': '3' });
    const resolved = await home.gateway.resolve(TELEGRAM);
    const plain = await home.sessions.open(resolved.id);
    await plain.appendAll([user('1'), user('2')]);
    expect((await resolved.append(user('3'))).verdict).toMatchObject({
      kind: 'reset',
      causes: [{ used: 3, limit: 3 }],
    });
    expect((await resolved.beginTurn().beforeIteration()).kind).toBe('reset');
  });

  it('heals a route whose session was removed', async () => {
    const clock = manualClock();
    await using home = await open(clock);
    const { id, session } = await home.gateway.resolve(TELEGRAM);
    await session.end('closed');
    clock.advance(DAY_MS);
    await home.apply(await home.plan({ kind: 'delete', ids: [id] }));
    expect((await home.gateway.resolve(TELEGRAM)).resolution.kind).toBe('created');
  });

  it('starts one session however many processes ask at once', async () => {
    const path = tempDir();
    const clock = manualClock();
    await using one = await open(clock, {}, path);
    await using two = await open(clock, {}, path);
    const asked = await Promise.all([one, two, one, two].map((home) => home.gateway.resolve(TELEGRAM)));
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
  });

  it('resets every morning once, across the change of the clocks, however many messages come', async () => {
    const clock = manualClock(Date.UTC(2026, 2, 26, 12));
    await using home = await open(clock, {
      'session_reset.mode': 'daily',
      'session_reset.at_hour': '4',
      'session_reset.time_zone': 'Europe/Paris',
    });
    const ids = new Set<string>();
    for (let hour = 0; hour < 5 * 24; hour += 1, clock.advance(HOUR_MS))
      ids.add((await home.gateway.resolve(TELEGRAM)).id);
    expect(ids.size).toBe(6);
  });
});

describe('the watcher', () => {
  it('ends what is idle although nobody talks to it, and the next message starts afresh', async () => {
    const clock = manualClock();
    await using home = await open(clock, { 'session_reset.mode': 'idle', 'session_reset.idle_minutes': '30' });
    const { id } = await home.gateway.resolve(TELEGRAM);
    expect(await home.gateway.resetIdle()).toEqual([]);
    clock.advance(HOUR_MS);
    expect(await home.gateway.resetIdle()).toEqual(['telegram:42']);
    expect(await home.gateway.resetIdle()).toEqual([]);
    expect((await home.gateway.resolve(TELEGRAM)).facts.parentId).toBe(id);
  });

  it('waits for work in the background, but not for ever', async () => {
    const clock = manualClock();
    await using home = await open(clock, { 'session_reset.mode': 'idle', 'session_reset.idle_minutes': '30' });
    const { id } = await home.gateway.resolve(TELEGRAM);
    using _work = await home.gateway.background(id);
    clock.advance(2 * HOUR_MS);
    expect(await home.gateway.resetIdle()).toEqual([]);
    clock.advance(DAY_MS);
    expect(await home.gateway.resetIdle()).toEqual(['telegram:42']);
  });

  it('waits for the last of several works in the background', async () => {
    const clock = manualClock();
    await using home = await open(clock, { 'session_reset.mode': 'idle', 'session_reset.idle_minutes': '30' });
    const { id } = await home.gateway.resolve(TELEGRAM);
    const first = await home.gateway.background(id);
    const second = await home.gateway.background(id);
    clock.advance(HOUR_MS);
    first[Symbol.dispose]();
    expect(await home.gateway.resetIdle()).toEqual([]);
    second[Symbol.dispose]();
    expect(await home.gateway.resetIdle()).toEqual(['telegram:42']);
  });

  it('waits for works that follow on each other without a break no longer than for one', async () => {
    const clock = manualClock();
    await using home = await open(clock, { 'session_reset.mode': 'idle', 'session_reset.idle_minutes': '30' });
    const { id } = await home.gateway.resolve(TELEGRAM);
    let work = await home.gateway.background(id);
    for (let hour = 0; hour < 24; hour += 1) {
      clock.advance(HOUR_MS - 1);
      expect(await home.gateway.resetIdle()).toEqual([]);
      const next = await home.gateway.background(id);
      work[Symbol.dispose]();
      work = next;
    }
    clock.advance(HOUR_MS);
    expect(await home.gateway.resetIdle()).toEqual(['telegram:42']);
  });

  it('waits for a run of another process, as a message does', async () => {
    const clock = manualClock();
    const path = tempDir();
    const settings = { 'session_reset.mode': 'daily' };
    await using one = await open(clock, settings, path);
    await using two = await open(clock, settings, path);
    const { id } = await two.gateway.resolve(TELEGRAM);
    await two.sessions.open(id).then((session) => session.release());
    const endRun = await beginRun(one, join(path, 'run'));
    clock.advance(20 * HOUR_MS);
    expect(await two.gateway.resetIdle()).toEqual([]);
    expect(await two.gateway.resolve(TELEGRAM)).toMatchObject({ id, resolution: { kind: 'continued' } });
    expect(await endRun()).toBe(id);
    expect(await two.gateway.resetIdle()).toEqual(['telegram:42']);
  });

  it('waits for runs of several processes that overlap no longer than for one', async () => {
    const clock = manualClock();
    const path = tempDir();
    const settings = { 'session_reset.mode': 'daily' };
    await using one = await open(clock, settings, path);
    await using two = await open(clock, settings, path);
    const endFirst = await beginRun(one, join(path, 'first'));
    clock.advance(13 * HOUR_MS);
    const endSecond = await beginRun(two, join(path, 'second'));
    const id = await endFirst();
    clock.advance(10 * HOUR_MS);
    const endThird = await beginRun(one, join(path, 'third'));
    for (const home of [one, two]) expect(await home.gateway.resetIdle()).toEqual([]);
    clock.advance(2 * HOUR_MS);
    expect(await endSecond()).toBe(id);
    expect(await one.gateway.resetIdle()).toEqual(['telegram:42']);
    expect(await endThird()).toBe(id);
  });

  it('tells subscribers, also what they missed', async () => {
    await using home = await open(manualClock());
    await home.gateway.resolve(TELEGRAM);
    await home.gateway.reset('telegram:42');
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { kind, id } of home.gateway.events({ after: 0, signal: stop.signal })) {
      seen.push(kind);
      if (id === 2) stop.abort();
    }
    expect(seen).toEqual(['session-started', 'session-reset']);
  });
});

describe('a turn', () => {
  it('is stopped strictly before the step that would break the budget, and the end is on record', async () => {
    await using home = await open(manualClock(), { 'budgets.session.tokens': '1000' });
    const session = await home.gateway.resolve(TELEGRAM);
    await using turn = session.beginTurn();
    expect((await turn.beforeIteration()).kind).toBe('ok');
    expect((await turn.usage({ model: 'm', inputTokens: 800, outputTokens: 50 })).kind).toBe('warn');
    expect((await turn.usage({ model: 'm', inputTokens: 200, costUsd: 0.5 })).kind).toBe('stop');
    expect(await turn.beforeIteration()).toMatchObject({
      kind: 'stop',
      causes: [{ rule: 'tokens', used: 1050, limit: 1000 }],
    });
    await turn.end();
    expect(await home.sessions.get(session.id)).toMatchObject({
      endReason: 'budget: tokens (session) 1050 of 1000',
      usage: { inputTokens: 1000, outputTokens: 50, costUsd: 0.5 },
    });
    expect((await home.gateway.spend('source')).map(({ key, used }) => [key, used.tokens])).toEqual([
      ['telegram', 1050],
    ]);
  });

  it('shares one count with every other process', async () => {
    const path = tempDir();
    const clock = manualClock();
    const settings = { 'budgets.session.iterations': '100' };
    await using one = await open(clock, settings, path);
    await using two = await open(clock, settings, path);
    const turns = await Promise.all([one, two].map(async (home) => (await home.gateway.resolve(TELEGRAM)).beginTurn()));
    let allowed = 0;
    for (let step = 0; step < 200; step += 1) {
      const kind = (await turns[step % 2]?.beforeIteration())?.kind;
      if (kind === 'ok' || kind === 'warn') allowed += 1;
    }
    expect(allowed).toBe(100);
  });

  it('escalates when tools keep failing', async () => {
    await using home = await open(manualClock());
    const turn = (await home.gateway.resolve(TELEGRAM)).beginTurn();
    const kinds: string[] = [];
    for (let n = 0; n < 9; n += 1) kinds.push((await turn.toolResult({ name: 'bash', ok: false })).kind);
    expect([kinds[2], kinds[5], kinds[8]]).toEqual(['nudge', 'warn', 'stop']);
  });

  it('stops a session that takes hundreds of messages within a minute', async () => {
    const clock = manualClock();
    await using home = await open(clock);
    const session = await home.gateway.resolve(TELEGRAM);
    let kind = 'ok';
    let count = 0;
    for (; count < 602 && kind !== 'stop' && kind !== 'reset'; count += 1) {
      clock.advance(178);
      kind = (await session.append(user('again'))).verdict.kind;
    }
    expect(count).toBeLessThan(602);
    expect(NOW + 107_000).toBeGreaterThan(clock.now());
  });
});

it('lists its routes', async () => {
  await using home = await open(manualClock());
  await home.gateway.resolve(TELEGRAM);
  expect((await collect(home.gateway.routes())).map(({ key }) => key)).toEqual(['telegram:42']);
});
