import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock, NOW } from '../../test/support/clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { OK } from '../core/gateway/gateway.ts';
import type { SpendBook } from '../core/gateway/spend-book.ts';
import type { SessionSize, UsageReport } from '../core/sessions/session.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { openSpendBook } from '../store/sqlite/gateway/spend-book.ts';
import type { SpendRule } from './spend/check-spend.ts';
import type { GuardRules } from './guards.ts';
import { LiveSession, type LiveSessionParts } from './live-session.ts';
import type { Turn } from './turn.ts';

const GUARDS: GuardRules = {
  'tool-errors': { nudge: 3, warn: 6, stop: 9 },
  'same-tool': { nudge: 15, stop: 30 },
  'repeated-calls': { nudge: 3, warn: 5, stop: 8 },
  'messages-per-minute': { stop: 100 },
  'tokens-per-minute': {},
  'tokens-per-hour': {},
  'bytes-per-minute': {},
};

const limit = (rule: Partial<SpendRule>): SpendRule => {
  const whole = {
    scope: 'session' as const,
    counter: 'iterations' as const,
    limit: 10,
    onBreach: 'stop' as const,
    ...rule,
  };
  return { warnAt: whole.limit * 0.8, ...whole };
};

const SMALL = { messages: 1, bytes: 1 };

function openBook(path = join(tempDir(), 'live.db')): SpendBook {
  const book = openSpendBook({ path, clock: manualClock() });
  onTestFinished(() => book[Symbol.dispose]());
  return book;
}

/** A session with what it recorded. */
async function aSession(spend: readonly SpendRule[], parts: Partial<LiveSessionParts> = {}) {
  const recorded: UsageReport[] = [];
  const ends: string[] = [];
  const recorder = {
    size: async () => SMALL,
    usage: async (added: UsageReport) => void recorded.push(added),
    end: async (reason: string) => void ends.push(reason),
  };
  const prices = new Map([['m', { input: 3e9, output: 15e9, cacheRead: 3e8, cacheWrite: 3e9, reasoning: 15e9 }]]);
  const session = await LiveSession.follow({
    id: 's',
    source: 'cli',
    usedBefore: {},
    rules: { spend, guards: GUARDS, prices },
    offsetAt: () => 0,
    book: parts.book ?? openBook(),
    recorder,
    clock: manualClock(),
    ...parts,
  });
  return { session, recorded, ends };
}

describe('usage under a key', () => {
  const once = { key: 'k', print: 'p', isKnown: false };

  it('is counted once, and recorded by whoever asks again after a death between the two', async () => {
    const book = openBook();
    const asked: (string | undefined)[] = [];
    let alive = false;
    const recorder = {
      size: async () => SMALL,
      usage: async (_: UsageReport, note: { readonly id: string }, given?: { readonly key: string }) => {
        if (!alive) throw new Error('killed');
        asked.push(note.id, given?.key);
      },
      end: async () => undefined,
    };
    const report = { model: 'm', inputTokens: 10 };
    const dead = (await aSession([], { book, recorder })).session;
    await expect(dead.beginTurn().usage(report, undefined, once)).rejects.toThrow('killed');
    alive = true;
    const next = (await aSession([], { book, recorder })).session.beginTurn();
    await next.usage(report, undefined, once);
    // Recorded under the same key, by which the store knows whether it was.
    expect([(await next.used()).tokens, asked]).toEqual([10, ['k', 'k']]);
    await next.usage(report);
    expect((await next.used()).tokens).toBe(20);
    expect(asked[2]).not.toBe('k');
  });
});

describe('a turn', () => {
  it('may go on without limits', async () => {
    const turn = (await aSession([])).session.beginTurn();
    for (let step = 0; step < 50; step += 1) expect(await turn.beforeIteration()).toBe(OK);
  });

  it('is warned in time, is stopped before the step that would be too many, and stays stopped', async () => {
    const { session, ends } = await aSession([limit({})]);
    const turn = session.beginTurn();
    const kinds: string[] = [];
    for (let step = 0; step < 12; step += 1) kinds.push((await turn.beforeIteration()).kind);
    expect(kinds).toEqual([...Array<string>(8).fill('ok'), 'warn', 'warn', 'stop', 'stop']);
    expect((await turn.message({ bytes: 1 })).kind).toBe('stop');
    expect((await session.beginTurn().beforeIteration()).kind).toBe('stop');
    await turn.end();
    expect(ends).toEqual(['budget: iterations (session) 10 of 10']);
  });

  it('goes on with a streak of errors after a restart, and shares it with every other process', async () => {
    const path = join(tempDir(), 'live.db');
    const fail = (turn: Turn) => turn.toolResult({ name: 'bash', ok: false });
    const first = (await aSession([], { book: openBook(path) })).session.beginTurn();
    expect([(await fail(first)).kind, (await fail(first)).kind]).toEqual(['ok', 'ok']);
    // Two calls are on their way when the process dies: their results never come.
    await first.toolCall({ name: 'bash' });
    const second = (await aSession([], { book: openBook(path) })).session.beginTurn();
    expect(await second.beforeIteration()).toBe(OK);
    expect(await fail(second)).toMatchObject({
      kind: 'nudge',
      causes: [{ used: 3, tools: [{ name: 'bash', count: 3 }] }],
    });
    // The first is still there after all.
    expect(await fail(first)).toMatchObject({ kind: 'nudge', causes: [{ used: 4 }] });
    expect(
      await (await aSession([], { book: openBook(path), id: 'other' })).session.beginTurn().beforeIteration(),
    ).toBe(OK);
  });

  it('shares its count with every other turn and every other process', async () => {
    const path = join(tempDir(), 'live.db');
    const turns: Turn[] = [];
    for (const book of [openBook(path), openBook(path)]) {
      const { session } = await aSession([limit({ limit: 7 })], { book });
      turns.push(session.beginTurn(), session.beginTurn());
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 60, maxLength: 60 }), async (order) => {
        for (const who of order) await turns[who]?.beforeIteration();
        expect(await openBook(path).list('session')).toMatchObject([{ used: { iterations: 7 } }]);
      }),
      { numRuns: 3 },
    );
  });

  it('stops for tokens of the whole day, also those of another session, and goes on the day after', async () => {
    const book = openBook();
    const clock = manualClock();
    const rules = [limit({ scope: 'day', counter: 'tokens', limit: 1000, onBreach: 'reset' })];
    const one = (await aSession(rules, { book, clock, id: 'one' })).session.beginTurn();
    const two = (await aSession(rules, { book, clock, id: 'two' })).session.beginTurn();
    expect(await one.usage({ model: 'x', inputTokens: 600, outputTokens: 400 })).toMatchObject({ kind: 'reset' });
    expect(await two.beforeIteration()).toMatchObject({
      kind: 'reset',
      causes: [{ rule: 'tokens', scope: 'day', used: 1000 }],
    });
    // A step that is not allowed is not taken, so it is not counted either.
    expect((await book.list('session')).map(({ used }) => used.iterations)).toEqual([0, 0]);
    clock.advance(DAY_MS);
    expect(await two.beforeIteration()).toBe(OK);
    expect((await book.list('session')).map(({ used }) => used.iterations)).toEqual([0, 1]);
  });

  it('begins the day at midnight in the zone of the budgets', async () => {
    const clock = manualClock(NOW);
    const book = openBook();
    const turn = (await aSession([], { clock, book, offsetAt: () => 13 * HOUR_MS })).session.beginTurn();
    await turn.usage({ model: 'x', inputTokens: 1 });
    expect((await book.list('day')).map(({ period }) => period)).toEqual(['2026-01-16']);
  });

  it('heeds the budget of the model it uses, and of its source', async () => {
    const rules = [
      limit({ scope: 'model', key: 'large', counter: 'tokens', limit: 10 }),
      limit({ scope: 'source', counter: 'tokens', limit: 100 }),
    ];
    const { session } = await aSession(rules);
    const turn = session.beginTurn();
    expect(await turn.usage({ model: 'small', inputTokens: 50 })).toBe(OK);
    expect(await turn.usage({ model: 'large', inputTokens: 10 })).toMatchObject({
      kind: 'stop',
      causes: [{ scope: 'model', used: 10 }],
    });
    const other = (await aSession(rules)).session.beginTurn();
    expect(await other.usage({ model: 'small', inputTokens: 80 })).toMatchObject({
      kind: 'warn',
      causes: [{ scope: 'source' }],
    });
  });

  it('records what was added, priced where the agent does not say, and nothing for a report that adds nothing', async () => {
    const { session, recorded } = await aSession([]);
    const turn = session.beginTurn();
    const report = { kind: 'cumulative', of: 'run', model: 'm', inputTokens: 1000 } as const;
    await turn.usage(report);
    await turn.usage(report);
    await turn.usage({ ...report, inputTokens: 1500 });
    await turn.usage({ model: 'm', outputTokens: 1, costUsd: 0.5 });
    expect(recorded.map(({ inputTokens, costUsd }) => [inputTokens, costUsd])).toEqual([
      [1000, 0.003],
      [500, 0.0015],
      [0, 0.5],
    ]);
  });

  it('is told when a limit in dollars cannot be kept, because nobody says what a model costs', async () => {
    const { session } = await aSession([limit({ counter: 'nanoUsd', limit: 1e9 })]);
    const turn = session.beginTurn();
    const causes = [{ rule: 'no-price', scope: 'model', used: 7, limit: 0 }];
    expect(await turn.usage({ model: 'x', inputTokens: 7 })).toMatchObject({ kind: 'warn', causes });
    expect(await turn.usage({ model: 'x', inputTokens: 7, costUsd: 0.1 })).toBe(OK);
    expect(await turn.usage({ model: 'm', inputTokens: 7 })).toBe(OK);
    expect(await (await aSession([limit({})])).session.beginTurn().usage({ model: 'x', inputTokens: 7 })).toBe(OK);
  });

  it('asks no price for a model that no limit in dollars binds, and stops for want of one where that is wanted', async () => {
    const dollars = limit({ counter: 'nanoUsd', limit: 1e9 });
    const prices = new Map([['m', { input: 3e9, output: 15e9, cacheRead: 3e8, cacheWrite: 3e9, reasoning: 15e9 }]]);
    const strict = (spend: readonly SpendRule[]) =>
      aSession(spend, { rules: { spend, guards: GUARDS, prices, requirePrices: true } });
    const needs = { tokens: 10, nanoUsd: 0, certain: false };
    const stop = { kind: 'stop', causes: [{ rule: 'no-price', model: 'x' }] };

    // Before the call, where its model is known; after it, where only the answer tells.
    const asked = (await strict([dollars])).session.beginTurn();
    expect(await asked.beforeCall('m', needs)).toMatchObject({ verdict: OK, crowded: false });
    expect(await asked.beforeCall('x', needs)).toMatchObject({ verdict: stop, crowded: false });
    expect((await asked.beforeCall('x', needs)).reservation).toBeUndefined();
    const told = await strict([dollars]);
    const turn = told.session.beginTurn();
    expect(await turn.beforeCall('unknown', needs)).toMatchObject({ verdict: OK });
    expect(await turn.usage({ model: 'x', inputTokens: 7 })).toMatchObject(stop);
    expect(told.ends).toEqual(['budget: no price (model) x']);

    const ofOther = await strict([
      limit({ scope: 'model', key: 'm', counter: 'nanoUsd' }),
      limit({ counter: 'tokens' }),
    ]);
    expect((await ofOther.session.beginTurn().beforeCall('x', needs)).verdict).toBe(OK);
  });

  it('stops at a cost that is priced by the configuration', async () => {
    const { session } = await aSession([limit({ counter: 'nanoUsd', limit: 1e9 })]);
    const verdict = await session.beginTurn().usage({ model: 'm', inputTokens: 400_000 });
    expect(verdict).toMatchObject({ kind: 'stop', say: expect.stringContaining('$1.20 of $1.00') as string });
  });

  it('takes no step in a session that its store says is full, through whomever it grew', async () => {
    const rules = [limit({ counter: 'messages', limit: 1000, onBreach: 'reset' })];
    let size: SessionSize | undefined = { messages: 999, bytes: 0 };
    const recorder = { size: async () => size, usage: async () => undefined, end: async () => undefined };
    const { session } = await aSession(rules, { recorder });
    const turn = session.beginTurn();
    expect(await turn.beforeIteration()).toMatchObject({ kind: 'warn' });
    size = { messages: 1000, bytes: 10 };
    expect(await turn.beforeIteration()).toMatchObject({ kind: 'reset', causes: [{ used: 1000, limit: 1000 }] });
    expect(await turn.message({ bytes: 10 })).toMatchObject({ kind: 'reset' });
    expect((await session.beginTurn().beforeIteration()).kind).toBe('reset');
    expect(await turn.used()).toMatchObject({ iterations: 1 });
    size = undefined;
    expect(await turn.beforeIteration()).toBe(OK);
  });

  it('counts the time it takes, once, whatever the clock does', async () => {
    const clock = manualClock();
    const book = openBook();
    const { session } = await aSession([limit({ counter: 'wallMs', limit: 10 * MINUTE_MS })], { clock, book });
    const turn = session.beginTurn();
    clock.advance(6 * MINUTE_MS);
    expect(await turn.beforeIteration()).toBe(OK);
    clock.advance(-HOUR_MS);
    expect(await turn.beforeIteration()).toBe(OK);
    clock.advance(3 * MINUTE_MS);
    expect(await turn.beforeIteration()).toMatchObject({ kind: 'warn' });
    clock.advance(MINUTE_MS);
    expect(await turn.beforeIteration()).toMatchObject({
      kind: 'stop',
      causes: [{ rule: 'wallMs', used: 10 * MINUTE_MS }],
    });
    await turn.end();
    clock.advance(HOUR_MS);
    await turn.end();
    expect(await book.list('session')).toMatchObject([{ used: { wallMs: 10 * MINUTE_MS, iterations: 3 } }]);
  });

  it('stops after nine failures of tools in a row and says so to the session store', async () => {
    const { session, ends } = await aSession([]);
    {
      await using turn = session.beginTurn();
      const kinds: string[] = [];
      for (let n = 0; n < 9; n += 1) kinds.push((await turn.toolResult({ name: `t${n}`, ok: false })).kind);
      expect(kinds).toEqual(['ok', 'ok', 'nudge', 'nudge', 'nudge', 'warn', 'warn', 'warn', 'stop']);
      expect((await turn.beforeIteration()).kind).toBe('stop');
    }
    expect(ends).toEqual(['guard: tool-errors (session) 9 of 9']);
  });

  it('hears of identical calls, also of several turns side by side, and of runaway messages', async () => {
    const { session } = await aSession([]);
    const turns = [session.beginTurn(), session.beginTurn()];
    const kinds: (string | undefined)[] = [];
    for (const who of [0, 1, 0]) kinds.push((await turns[who]?.toolCall({ name: 'read', args: { path: 'a' } }))?.kind);
    expect(kinds).toEqual(['ok', 'ok', 'nudge']);
    const flood: (string | undefined)[] = [];
    for (let n = 0; n < 100; n += 1) flood.push((await turns[0]?.message({ bytes: 5 }))?.kind);
    expect(flood.indexOf('stop')).toBe(99);
  });

  it('ends nothing that was not stopped', async () => {
    const { session, ends } = await aSession([limit({ onBreach: 'reset', limit: 1 })]);
    const turn = session.beginTurn();
    await turn.beforeIteration();
    expect((await turn.beforeIteration()).kind).toBe('reset');
    await turn.end();
    expect(ends).toEqual([]);
  });
});
