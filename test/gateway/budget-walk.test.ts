import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Scope, Spend } from '../../src/core/gateway/gateway.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { localDay } from '../../src/gateway/zone-offset.ts';
import { type BooksOfProcess, DEATHS, Died, openBooks } from '../support/budget-books.ts';
import { campaignSize, SEED, TORTURE } from '../support/campaign.ts';
import { manualClock } from '../support/clock.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = 40_000;
const MODEL = 'm';
const SCOPES: readonly Scope[] = ['session', 'source', 'day', 'model'];

/** A call that a provider is answering: what was set aside for it, and what it will turn out to have used. */
interface Call {
  readonly by: BooksOfProcess;
  readonly session: string;
  readonly period: string;
  readonly set: number;
  readonly served: number;
  readonly end: () => Promise<void>;
  readonly callOff: () => Promise<void>;
}

/** Everything that happened, as an outsider would write it down. */
class Oracle {
  readonly totals = new Map<string, number>();
  readonly recorded = new Map<string, number>();
  /** By day: how far what was used may be beyond the limit, because it was more than anybody expected. */
  readonly errors = new Map<string, number>();

  used(session: string, period: string, tokens: number): void {
    add(this.recorded, session, tokens);
    for (const name of namesOf(session, period)) add(this.totals, name, tokens);
  }

  takenBack(session: string, period: string, tokens: number): void {
    for (const name of namesOf(session, period)) {
      this.totals.set(name, Math.max(0, (this.totals.get(name) ?? 0) - tokens));
    }
  }
}

function namesOf(session: string, period: string): readonly string[] {
  return [`session ${session} `, `source walk ${period}`, `day  ${period}`, `model ${MODEL} ${period}`];
}

function add(map: Map<string, number>, name: string, amount: number): void {
  map.set(name, (map.get(name) ?? 0) + amount);
}

describe('budgets, over crashes', () => {
  const walks = campaignSize({ usual: 4, torture: 300 });
  it.each(Array.from({ length: walks }, (_, index) => SEED * 1000 + index))(
    'book what was served, are overspent by no more than calls used beyond what was expected, and agree after every death (walk %i)',
    async (seed) => {
      await walk(seed, campaignSize({ usual: 60, torture: 200 }));
    },
    TORTURE ? 600_000 : 60_000,
  );
});

/** Random steps of several processes on one home. */
async function walk(seed: number, steps: number): Promise<void> {
  const walker = new Walker(seed);
  await walker.open();
  for (let step = 0; step < steps; step += 1) await walker.step();
  await walker.end();
}

class Walker {
  readonly #random: SeededRandom;
  readonly #clock = manualClock();
  readonly #oracle = new Oracle();
  readonly #parts = {
    directory: tempDir(),
    clock: this.#clock,
    budgets: { day: { tokens: LIMIT, usd: 'never' as const } },
  };
  readonly #alive: BooksOfProcess[] = [];
  #calls: Call[] = [];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  async open(): Promise<void> {
    this.#alive.push(await openBooks(this.#parts), await openBooks(this.#parts));
  }

  async step(): Promise<void> {
    const begin = () => this.#begin();
    const finish = () => this.#finishOne();
    await this.#random.one([
      begin,
      begin,
      begin,
      begin,
      finish,
      finish,
      finish,
      () => this.#report(),
      () => this.#correct(),
      () => this.#die(),
      async () => this.#moveClock(),
      async () => this.#callOff(),
    ])();
    await compareTotals(this.#random.one(this.#alive), this.#oracle);
  }

  async end(): Promise<void> {
    for (const call of this.#calls) await this.#finish(call);
    for (const { book } of this.#alive)
      expect((await book.list('day')).every(({ reserved }) => reserved === undefined)).toBe(true);
    compareRecords(this.#parts.directory, this.#oracle);
  }

  async #begin(): Promise<void> {
    const by = this.#random.one(this.#alive);
    const session = this.#session();
    const turn = await by.turn(session);
    const set = 100 + this.#random.below(6000);
    const { reservation } = await turn.beforeCall(MODEL, { tokens: set, nanoUsd: 0, certain: true });
    if (reservation === undefined) return;
    const served = Math.max(1, set + this.#random.below(2000) - 1500);
    const end = async () => void (await turn.usage({ model: MODEL, inputTokens: served }, reservation));
    const callOff = () => turn.callOff(reservation);
    this.#calls.push({ by, session, period: this.#today, set, served, end, callOff });
  }

  async #finishOne(): Promise<void> {
    if (this.#calls.length > 0) await this.#finish(this.#random.one(this.#calls));
  }

  async #finish(call: Call): Promise<void> {
    await call.end();
    this.#booked(call);
  }

  #booked(call: Call): void {
    const { session, period, set, served } = call;
    this.#calls = this.#calls.filter((other) => other !== call);
    this.#oracle.used(session, this.#today, served);
    // What was set aside on another day holds nobody back on this one.
    add(this.#oracle.errors, this.#today, period === this.#today ? Math.max(0, served - set) : served);
  }

  async #report(): Promise<void> {
    const session = this.#session();
    const turn = await this.#random.one(this.#alive).turn(session);
    const tokens = 1 + this.#random.below(3000);
    await turn.usage({ model: MODEL, inputTokens: tokens });
    this.#oracle.used(session, this.#today, tokens);
    add(this.#oracle.errors, this.#today, tokens);
  }

  async #correct(): Promise<void> {
    const sessionId = this.#session();
    const by = this.#random.one(this.#alive);
    await by.turn(sessionId);
    const account = { session: { scope: 'session' as const, key: sessionId, period: '' }, limited: [] };
    const used = (await by.book.read(account))[0]?.used.tokens ?? 0;
    const tokens = 1 + this.#random.below(used + 10);
    const done = by.budgets.correct({ sessionId, tokens, nanoUsd: 0, by: 'walk', reason: 'false', model: MODEL });
    if (tokens > used) {
      await expect(done).rejects.toThrow('has not used as much');
    } else {
      await done;
      this.#oracle.takenBack(sessionId, this.#today, tokens);
    }
  }

  /** A process dies: idle, or in the midst of a report. What it had under way is counted with what was set aside for it. */
  async #die(): Promise<void> {
    const by = this.#random.one(this.#alive);
    const call = this.#calls.find((each) => each.by === by);
    const death = this.#random.one(DEATHS);
    if (call !== undefined && this.#random.below(3) > 0) {
      by.dieAt(death);
      await expect(call.end()).rejects.toThrow(Died);
      if (death !== 'before it is counted') this.#booked(call);
    }
    await by.kill();
    const left = this.#calls.filter((each) => each.by === by);
    for (const { session, period, set } of left) this.#oracle.used(session, period, set);
    this.#calls = this.#calls.filter((each) => each.by !== by);
    this.#alive.splice(this.#alive.indexOf(by), 1, await openBooks(this.#parts));
    compareRecords(this.#parts.directory, this.#oracle);
  }

  #moveClock(): void {
    const days = [1, -2, 30, -30, 400, -400].map((count) => count * DAY_MS);
    this.#clock.advance(this.#random.one([HOUR_MS, 7 * HOUR_MS, -HOUR_MS, ...days]));
  }

  async #callOff(): Promise<void> {
    const call = this.#calls[this.#random.below(this.#calls.length + 1)];
    this.#calls = this.#calls.filter((other) => other !== call);
    await call?.callOff();
  }

  get #today(): string {
    return localDay(this.#clock.now(), () => 0);
  }

  #session(): string {
    return `s${this.#random.below(4)}`;
  }
}

/** What is counted is what happened, of every scope and day, and no further beyond the limit than what nobody could expect. */
async function compareTotals({ book }: BooksOfProcess, { totals, errors }: Oracle): Promise<void> {
  const rows: Spend[] = [];
  for (const scope of SCOPES) rows.push(...(await book.list(scope)));
  const counted = rows.map(({ scope, key, period, used }) => {
    expect(used.tokens).toBeGreaterThanOrEqual(0);
    if (scope === 'day') expect(used.tokens).toBeLessThanOrEqual(LIMIT + (errors.get(period) ?? 0));
    return [`${scope} ${key} ${period}`, used.tokens] as const;
  });
  expect(nonZero(counted)).toEqual(nonZero(totals));
}

function nonZero(entries: Iterable<readonly [string, number]>): Record<string, number> {
  return Object.fromEntries([...entries].filter(([, tokens]) => tokens > 0));
}

/** What sessions have on record is what was used in them; nothing is left over of any process that has died. */
function compareRecords(directory: string, { recorded }: Oracle): void {
  const state = new BetterSqlite3(join(directory, 'state.db'), { readonly: true });
  const live = new BetterSqlite3(join(directory, 'live.db'), { readonly: true });
  try {
    const rows = state.prepare('SELECT id, input_tokens FROM sessions').raw().all() as [string, number][];
    expect(nonZero(rows)).toEqual(nonZero(recorded));
    expect(live.prepare('SELECT count(*) FROM unrecorded').pluck().get()).toBe(0);
  } finally {
    state.close();
    live.close();
  }
}
