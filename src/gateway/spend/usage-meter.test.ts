import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUsageMeter, type UsageDelta, type UsageEvent } from './usage-meter.ts';

const MODEL = 'm';

/** What a meter makes of reports, added up. */
function sumOf(events: readonly UsageEvent[]): { input: number; output: number; nanoUsd: number } {
  const meter = createUsageMeter();
  const deltas = events.map((event) => meter.take(event));
  const sum = (pick: (delta: UsageDelta) => number) => deltas.reduce((total, delta) => total + pick(delta), 0);
  return {
    input: sum(({ inputTokens }) => inputTokens),
    output: sum(({ outputTokens }) => outputTokens),
    nanoUsd: sum(({ nanoUsd = 0 }) => nanoUsd),
  };
}

const total = (inputTokens: number, more: { of?: string; seq?: number; model?: string } = {}): UsageEvent => {
  return { kind: 'cumulative', of: 'run', model: MODEL, inputTokens, ...more };
};

describe('a usage meter', () => {
  it('takes a report without a kind for what was added', () => {
    expect(createUsageMeter().take({ model: MODEL, inputTokens: 5, costUsd: 0.25 })).toEqual({
      model: MODEL,
      inputTokens: 5,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      nanoUsd: 250_000_000,
    });
    expect(createUsageMeter().take({ model: MODEL, inputTokens: 5 })).not.toHaveProperty('nanoUsd');
  });

  it('counts an addition with an id once', () => {
    const report = { model: MODEL, id: 'call-1', inputTokens: 7 } as const;
    expect(sumOf([report, report, { ...report, id: 'call-2' }]).input).toBe(14);
    expect(
      sumOf([
        { model: MODEL, inputTokens: 7 },
        { model: MODEL, inputTokens: 7 },
      ]).input,
    ).toBe(14);
  });

  it('keeps counters and models apart', () => {
    expect(sumOf([total(10), total(10, { of: 'other' }), total(10, { model: 'n' })]).input).toBe(30);
  });

  it('takes a lower total for a late one, unless its number says that the counter started again', () => {
    expect(sumOf([total(10), total(30), total(20)]).input).toBe(30);
    expect(sumOf([total(10, { seq: 1 }), total(30, { seq: 2 }), total(20, { seq: 3 })]).input).toBe(50);
    expect(sumOf([total(10, { seq: 1 }), total(30, { seq: 3 }), total(20, { seq: 2 })]).input).toBe(30);
    // The same number again is the same report, whatever it says this time.
    expect(sumOf([total(30, { seq: 2 }), total(10, { seq: 2 })]).input).toBe(30);
  });

  it('leaves alone what a total does not mention', () => {
    const events: UsageEvent[] = [
      { kind: 'cumulative', of: 'run', seq: 1, model: MODEL, inputTokens: 10, outputTokens: 5 },
      { kind: 'cumulative', of: 'run', seq: 2, model: MODEL, inputTokens: 20 },
      { kind: 'cumulative', of: 'run', seq: 3, model: MODEL, inputTokens: 20, outputTokens: 6 },
    ];
    expect(sumOf(events)).toMatchObject({ input: 20, output: 6 });
  });

  it('refuses numbers that are none', () => {
    for (const inputTokens of [-1, 0.5, Number.NaN]) {
      expect(() => createUsageMeter().take({ model: MODEL, inputTokens })).toThrow('inputTokens');
    }
  });

  const steps = fc.array(fc.record({ input: fc.nat(1000), output: fc.nat(1000), nano: fc.nat(1_000_000) }), {
    minLength: 1,
    maxLength: 30,
  });

  /** The totals a counter shows as these steps are taken. */
  const totalsOf = (taken: readonly { input: number; output: number; nano: number }[]) => {
    let [inputTokens, outputTokens, nano] = [0, 0, 0];
    return taken.map((step, index) => {
      inputTokens += step.input;
      outputTokens += step.output;
      nano += step.nano;
      return {
        kind: 'cumulative',
        of: 'run',
        model: MODEL,
        inputTokens,
        outputTokens,
        costUsd: nano / 1e9,
        index,
      } as const;
    });
  };
  const lastOf = (taken: readonly { input: number; output: number; nano: number }[]) => ({
    input: taken.reduce((sum, { input }) => sum + input, 0),
    output: taken.reduce((sum, { output }) => sum + output, 0),
    nanoUsd: taken.reduce((sum, { nano }) => sum + nano, 0),
  });

  it('finds exactly what was used from totals in any order, some of them twice, some numbered', () => {
    const scene = steps.chain((taken) => {
      const totals = totalsOf(taken);
      return fc.record({
        taken: fc.constant(taken),
        // Every report may come twice and anywhere, but the newest comes at least once.
        arriving: fc
          .array(fc.constantFrom(...totals), { maxLength: 60 })
          .chain((some) => fc.shuffledSubarray([...some, ...totals.slice(-1)], { minLength: some.length + 1 })),
        numbered: fc.boolean(),
      });
    });
    fc.assert(
      fc.property(scene, ({ taken, arriving, numbered }) => {
        const events = arriving.map(({ index, ...event }) => (numbered ? { ...event, seq: index } : event));
        expect(sumOf(events)).toEqual(lastOf(taken));
      }),
    );
  });

  it('never counts more than was used, whatever is lost or late, also when numbered counters start again', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 4 }), fc.array(fc.nat(200), { maxLength: 80 }), (lives, picks) => {
        const numbered = lives.flatMap(totalsOf).map(({ index: _, ...event }, seq) => ({ ...event, seq }));
        if (numbered.length === 0) return;
        const arriving = picks.flatMap((pick) => numbered[pick % numbered.length] ?? []);
        const [got, most] = [sumOf(arriving), lastOf(lives.flat())];
        expect(got.input).toBeLessThanOrEqual(most.input);
        expect(got.nanoUsd).toBeLessThanOrEqual(most.nanoUsd);
      }),
    );
  });

  it('finds exactly what was used from numbered totals in order, however often the counter starts again', () => {
    // A restart shows in the first report after it, unless nothing had been used before it or more is used at once.
    const life = steps.map((taken) => [{ input: 0, output: 0, nano: 0 }, ...taken]);
    fc.assert(
      fc.property(fc.array(life, { maxLength: 5 }), (lives) => {
        const events = lives.flatMap(totalsOf).map(({ index: _, ...event }, seq) => ({ ...event, seq }));
        expect(sumOf(events)).toEqual(lastOf(lives.flat()));
      }),
    );
  });
});
