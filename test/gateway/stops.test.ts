import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import type { Verdict } from '../../src/core/gateway/gateway.ts';
import { sessionBytes } from '../../src/core/sessions/session.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { manualClock } from '../support/clock.ts';
import { user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

const MB = 1024 * 1024;
const WRITER = fileURLToPath(new URL('../support/heedless-writer.js', import.meta.url));
const TELEGRAM = { key: 'telegram:42', source: 'telegram' };
const NO_FLOOD = { 'guards.messages_per_minute': 'never', 'guards.mb_per_minute': 'never' };

function open(settings: Record<string, string>, path = tempDir()): Promise<Home> {
  const overrides = Object.entries({ ...NO_FLOOD, ...settings }).map(([key, value]) => ({ key, value }));
  return openHome({ path, clock: manualClock(), env: {}, settings: overrides });
}

interface Told {
  readonly id: string;
  readonly stored: number;
  readonly last: string;
  readonly refused: { readonly code: string; readonly message: string; readonly hint: string };
}

/** A process of its own that uses the library and heeds nothing. */
async function heedless(path: string, { count, bytes }: { count: number; bytes: number }, limits: readonly string[]) {
  const none = Object.entries(NO_FLOOD).map(([key, value]) => `${key}=${value}`);
  const args = [WRITER, path, String(count), String(bytes), ...none, ...limits];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Told;
}

describe('a caller that heeds no verdict', () => {
  it('adds no message after the one that fills the conversation', async () => {
    const path = tempDir();
    const told = await heedless(path, { count: 1003, bytes: 10 }, ['limits.messages=50']);
    expect(told).toMatchObject({ stored: 50, last: 'reset', refused: { code: 'refused' } });
    expect(told.refused.message).toContain('(reset: messages) and takes no more messages');
    expect(told.refused.hint).toContain('resolve the key again');
    await using home = await open({ 'limits.messages': '50' }, path);
    expect(await home.sessions.get(told.id)).toMatchObject({ messageCount: 50, endReason: 'reset: messages' });
    await expect((await home.sessions.open(told.id)).append(user('plain'))).rejects.toMatchObject({ code: 'refused' });
    const fresh = await home.gateway.resolve(TELEGRAM);
    expect(fresh.resolution).toEqual({ kind: 'reset', reason: 'messages', previousId: told.id });
    expect((await fresh.append(user('goes on'))).verdict.kind).toBe('ok');
  });

  it('grows no conversation by more than the message that takes it over its size', async () => {
    const path = tempDir();
    const told = await heedless(path, { count: 100, bytes: 200_000 }, ['limits.mb=1']);
    expect(told).toMatchObject({ last: 'reset', refused: { code: 'refused' } });
    await using home = await open({}, path);
    const facts = await home.sessions.get(told.id);
    expect(facts && sessionBytes(facts)).toBeGreaterThanOrEqual(MB);
    // A message stands in the database and in the transcript.
    expect(facts && sessionBytes(facts)).toBeLessThan(MB + 2 * 210_000);
  });

  it('adds none too many from several processes at once, nor all at once from one', async () => {
    const path = tempDir();
    await using home = await open({ 'limits.messages': '60' }, path);
    const session = await home.gateway.resolve(TELEGRAM);
    const others = [1, 2].map(() => heedless(path, { count: 100, bytes: 10 }, ['limits.messages=60']));
    const mine = Array.from({ length: 40 }, (_, n) => session.append(user(`at once ${n}`)));
    const stored = (await Promise.allSettled(mine)).filter(({ status }) => status === 'fulfilled').length;
    const told = await Promise.all(others);
    const theirs = told.filter(({ id }) => id === session.id).reduce((sum, writer) => sum + writer.stored, 0);
    expect(await home.sessions.get(session.id)).toMatchObject({ messageCount: 60, endReason: 'reset: messages' });
    expect(stored + theirs).toBe(60);
  });

  it('adds nothing in any process once a budget has stopped the session', async () => {
    const path = tempDir();
    const settings = { 'budgets.session.tokens': '1000' };
    await using home = await open(settings, path);
    await using other = await open(settings, path);
    const session = await home.gateway.resolve(TELEGRAM);
    const there = await other.gateway.open(session.id);
    // The turn is not over, and yet the session is.
    const turn = session.beginTurn();
    expect(await turn.usage({ model: 'm', inputTokens: 1200 })).toMatchObject({ kind: 'stop' });
    const endReason = 'budget: tokens (session) 1200 of 1000';
    expect(await other.sessions.get(session.id)).toMatchObject({ endReason });
    const refused = {
      code: 'refused',
      message: `Session ${session.id} has ended (${endReason}) and takes no more messages.`,
    };
    await expect(session.append(user('here'))).rejects.toMatchObject(refused);
    await expect(there.append(user('there'))).rejects.toMatchObject(refused);
    await expect(there.session.append(user('plain'))).rejects.toMatchObject(refused);
    await expect(session.session.appendAll([user('many')])).rejects.toMatchObject(refused);
    // What was used is still counted: it was spent.
    await turn.usage({ model: 'm', inputTokens: 1 });
    expect(await home.sessions.get(session.id)).toMatchObject({ usage: { inputTokens: 1201 } });
  });

  it('ends the session with a step that is forbidden, although the turn goes on', async () => {
    await using home = await open({ 'budgets.session.iterations': '1' });
    const session = await home.gateway.resolve(TELEGRAM);
    const turn = session.beginTurn();
    expect([(await turn.beforeIteration()).kind, (await turn.beforeIteration()).kind]).toEqual(['ok', 'stop']);
    await expect(session.session.append(user('more'))).rejects.toMatchObject({ code: 'refused' });
    await turn.end();
    expect(await home.sessions.get(session.id)).toMatchObject({ endReason: 'budget: iterations (session) 1 of 1' });
  });

  it('may say its last words where a budget starts it afresh, and no more', async () => {
    await using home = await open({ 'budgets.session.tokens': '1000', 'budgets.on_breach': 'reset' });
    const session = await home.gateway.resolve(TELEGRAM);
    await using turn = session.beginTurn();
    expect(await turn.usage({ model: 'm', inputTokens: 1200 })).toMatchObject({ kind: 'reset' });
    expect((await session.append(user('what the next must know'))).verdict.kind).toBe('reset');
    await expect(session.append(user('more'))).rejects.toMatchObject({ code: 'refused' });
    expect((await home.gateway.resolve(TELEGRAM)).resolution).toMatchObject({ kind: 'reset', previousId: session.id });
  });

  it('is stopped again after it has opened the session again', async () => {
    await using home = await open({ 'budgets.session.tokens': '1000' });
    const session = await home.gateway.resolve(TELEGRAM);
    await using turn = session.beginTurn();
    await turn.usage({ model: 'm', inputTokens: 1200 });
    for (let again = 0; again < 3; again += 1) {
      await expect(session.append(user('refused'))).rejects.toMatchObject({ code: 'refused' });
      await session.session.resume();
      expect((await session.append(user('one'))).verdict.kind).toBe('stop');
    }
    expect(await home.sessions.get(session.id)).toMatchObject({
      messageCount: 3,
      endedAt: expect.any(Number) as number,
    });
  });

  it('is refused in a session that plain appends have filled, and told which limit it is', async () => {
    await using home = await open({ 'limits.messages': '3' });
    const session = await home.gateway.resolve(TELEGRAM);
    await session.session.appendAll([user('1'), user('2'), user('3'), user('a record is as long as you like')]);
    await expect(session.append(user('5'))).rejects.toMatchObject({
      code: 'refused',
      message: `Session ${session.id} has reached its limit of 3 messages and takes no more messages.`,
    });
  });

  it('is told by the events of the process what has ended', async () => {
    await using home = await open({ 'limits.messages': '1' });
    const session = await home.gateway.resolve(TELEGRAM);
    await session.append(user('only'));
    const stop = new AbortController();
    const kinds: string[] = [];
    for await (const { kind } of home.gateway.events({ after: 0, signal: stop.signal })) {
      kinds.push(kind);
      if (kinds.length === 2) stop.abort();
    }
    expect(kinds).toEqual(['session-started', 'session-reset']);
  });
});

describe('with defaults', () => {
  const TWO_HOURS = 120;

  /** So many tokens a minute for two hours: how many were used when it was stopped, if it was. */
  async function burn(perMinute: { inputTokens: number; cacheReadTokens?: number; outputTokens?: number }) {
    const [clock, path] = [manualClock(), tempDir()];
    let home = await openHome({ path, clock, env: {} });
    const { id } = await home.gateway.resolve(TELEGRAM);
    let stopped: Verdict | undefined;
    for (let minute = 0; minute < TWO_HOURS && stopped === undefined; minute += 1, clock.advance(MINUTE_MS)) {
      // A program that is started again now and then is no way around it.
      if (minute % 10 === 9) {
        await home.close();
        home = await openHome({ path, clock, env: {} });
      }
      await using turn = (await home.gateway.open(id)).beginTurn();
      const verdict = await turn.usage({ model: 'large', ...perMinute });
      if (verdict.kind === 'stop') stopped = verdict;
    }
    const facts = await home.sessions.get(id);
    await home.close();
    return { stopped, facts };
  }

  it('stops a session that uses 22 million tokens in two hours, long before it has', async () => {
    const { stopped, facts } = await burn({ inputTokens: 180_000, outputTokens: 3_334 });
    expect(stopped).toMatchObject({ kind: 'stop', causes: [{ rule: 'tokens-per-hour', limit: 8_000_000 }] });
    expect(facts?.usage.inputTokens).toBeLessThan(9_000_000);
    expect(facts?.endReason).toMatch(/^guard: tokens-per-hour \(session\) \d+ of 8000000$/);
  });

  it('lets an agent work for hours that reads a large context from the cache again and again', async () => {
    const { stopped, facts } = await burn({ inputTokens: 15_000, cacheReadTokens: 600_000, outputTokens: 4_000 });
    expect(stopped).toBeUndefined();
    expect(facts?.usage.cacheReadTokens).toBe(72_000_000);
  });

  it('only advises a session that uses one tool a hundred times, or makes the same call again and again', async () => {
    await using home = await openHome({ path: tempDir(), clock: manualClock(), env: {} });
    await using turn = (await home.gateway.resolve(TELEGRAM)).beginTurn();
    const kinds: string[] = [];
    for (let n = 0; n < 100; n += 1) kinds.push((await turn.toolCall({ name: 'read', args: { path: 'a' } })).kind);
    expect(new Set(kinds)).toEqual(new Set(['ok', 'nudge', 'warn']));
    expect((await turn.beforeIteration()).kind).toBe('warn');
  });

  it('stops for one tool where that was asked for', async () => {
    await using home = await open({ 'guards.same_tool.stop': '20', 'guards.repeated_calls.stop': 'never' });
    const session = await home.gateway.resolve(TELEGRAM);
    await using turn = session.beginTurn();
    for (let n = 0; n < 20; n += 1) await turn.toolCall({ name: 'read', args: { n } });
    expect(await turn.beforeIteration()).toMatchObject({
      kind: 'stop',
      causes: [{ tools: [{ name: 'read', count: 20 }] }],
    });
  });
});
