import { describe, expect, it } from 'vitest';
import { hermesLedgerEntry } from './hermes-ledger-entry.ts';

/** A record whose rows are lines as the trash keeps them: a whole number is bare, any other says that it is one. */
function entryOf(session: Readonly<Record<string, unknown>>, usage: readonly (readonly unknown[])[] = []) {
  const columns = ['model', 'input_tokens', 'estimated_cost_usd', 'actual_cost_usd'];
  const record = {
    id: 's1',
    session: { table: 'sessions', columns: Object.keys(session), lines: [JSON.stringify(Object.values(session))] },
    side: [{ table: 'session_model_usage', columns, lines: usage.map((row) => JSON.stringify(row)) }],
    chunks: [],
    cut: [],
  };
  return hermesLedgerEntry(record, 9_000);
}

const real = (value: number) => ({ real: String(value) });

describe('the ledger entry of a Hermes session', () => {
  it('has the same instants whether Hermes stored whole seconds or parts of them', () => {
    expect(entryOf({ started_at: 5, ended_at: real(6.5) })).toMatchObject({ startedAt: 5_000, endedAt: 6_500 });
    expect(entryOf({ started_at: real(5), ended_at: 6 })).toMatchObject({ startedAt: 5_000, endedAt: 6_000 });
  });

  it('sums what a model was used for, at what was billed where that is known', () => {
    const usage = [
      ['m', 10, real(0.5), null],
      ['m', 5, real(0.5), real(2)],
      ['', -3, 1, null],
    ];
    expect(entryOf({}, usage).usageByModel).toMatchObject([
      { model: 'm', inputTokens: 15, costUsd: 2.5 },
      { model: 'unknown', inputTokens: 0, costUsd: 1 },
    ]);
  });
});
