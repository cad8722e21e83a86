import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/failure.ts';
import type { OwnLimits } from '../../src/gateway/spend/held-ahead.ts';
import { forbids } from '../../src/gateway/strictest.ts';
import type { Turn } from '../../src/gateway/turn.ts';
import { type BooksOfProcess, openBooks } from '../support/budget-books.ts';
import { campaignSize, SEED } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = 40_000;
const MOST_OF_A_CALL = 3000;

/** A run of which nobody is asked before its calls: it says what it used when it has used it. */
interface Run {
  readonly turn: Turn;
  /** What it may use by itself; it makes no call that would go beyond. */
  left: number;
  /** What the call under way will turn out to have used. */
  calling?: number | undefined;
}

interface Played {
  readonly used: number;
  readonly refused: number;
  /** How many ended because a report told them to. */
  readonly stopped: number;
}

const seeds = Array.from({ length: campaignSize({ usual: 4, torture: 300 }) }, (_, index) => SEED * 1000 + index);

describe('a budget of runs that tell only afterwards what they used', () => {
  it.each(seeds)('is passed by less than one call where each keeps a limit of its own (play %i)', async (seed) => {
    const random = seededRandom(seed);
    const { used, refused } = await play(random, () => 2000 + random.below(12_000));
    expect(used).toBeGreaterThan(LIMIT / 2);
    expect(used).toBeLessThan(LIMIT + MOST_OF_A_CALL);
    expect(refused).toBeGreaterThan(0);
  });

  it.each(seeds)('is passed by less than one call of each run that was under way otherwise (play %i)', async (seed) => {
    const { used, refused, stopped } = await play(seededRandom(seed), () => undefined);
    expect(used).toBeGreaterThanOrEqual(LIMIT);
    expect(used).toBeLessThan(LIMIT + stopped * MOST_OF_A_CALL);
    expect(refused).toBeGreaterThan(0);
  });

  it('keeps room for the next call of each run that goes on', async () => {
    const [first, second] = await openTwo();
    const turn = await first.startRun({});
    await turn.usage({ model: 'm', inputTokens: 30_000 });
    await expect(second.startRun({})).rejects.toThrow(
      /30,000 tokens of 40,000 tokens, calls under way have set 30,000 tokens aside/,
    );
    await turn.end();
    await second.startRun({});
  });
});

/** Runs of several processes, all at once, until none begins any more. */
async function play(random: SeededRandom, ownTokens: () => number | undefined): Promise<Played> {
  const processes = await openTwo();
  const runs: Run[] = [];
  let [refused, stopped, used] = [0, 0, 0];
  const leave = async (run: Run): Promise<void> => {
    runs.splice(runs.indexOf(run), 1);
    await run.turn.end();
  };
  for (let step = 0; step < 500 && (runs.length > 0 || used < LIMIT); step += 1) {
    if (runs.length === 0 || random.below(3) === 0) {
      const tokens = ownTokens();
      const turn = await started(random.one(processes), { tokens });
      if (turn === undefined) refused += 1;
      else runs.push({ turn, left: tokens ?? Number.POSITIVE_INFINITY });
      continue;
    }
    const run = random.one(runs);
    const { calling: inputTokens } = run;
    if (inputTokens === undefined) {
      run.calling = Math.min(run.left, 1 + random.below(MOST_OF_A_CALL));
      run.left -= run.calling;
      continue;
    }
    run.calling = undefined;
    used += inputTokens;
    if (forbids(await run.turn.usage({ model: 'm', inputTokens }))) {
      stopped += 1;
      await leave(run);
    } else if (run.left === 0 || random.below(12) === 0) await leave(run);
  }
  expect((await processes[0].book.list('day'))[0]?.used.tokens).toBe(used);
  return { used, refused, stopped };
}

async function started(process: BooksOfProcess, own: OwnLimits): Promise<Turn | undefined> {
  try {
    return await process.startRun(own);
  } catch (error) {
    if (error instanceof Failure && error.code === 'refused') return undefined;
    throw error;
  }
}

async function openTwo(): Promise<readonly [BooksOfProcess, BooksOfProcess]> {
  const parts = {
    directory: tempDir(),
    clock: manualClock(),
    budgets: { day: { tokens: LIMIT, usd: 'never' as const } },
  };
  return [await openBooks(parts), await openBooks(parts)];
}
