import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { DEATHS, Died, openBooks } from '../support/budget-books.ts';
import { manualClock } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const ONCE = { key: 'a hash of a key', print: 'of the request', isKnown: false };
const REPORT = { model: 'm', inputTokens: 100 };

/** What the session has on record, read without any code of ours. */
function recorded(directory: string): unknown {
  const state = new BetterSqlite3(join(directory, 'state.db'), { readonly: true });
  const tokens = state.prepare('SELECT input_tokens FROM sessions').pluck().get();
  state.close();
  return tokens;
}

it.each(DEATHS)(
  'usage under a key is in both books once, by recovery or by whoever asks again: death %s',
  async (death) => {
    const parts = { directory: tempDir(), clock: manualClock(), budgets: {} };
    const dying = await openBooks(parts);
    const turn = await dying.turn('s');
    dying.dieAt(death);
    await expect(turn.usage(REPORT, undefined, ONCE)).rejects.toThrow(Died);
    await dying.kill();
    // The one that asks again finds the books settled; so does a later one, when what settled them has been forgotten.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const next = await openBooks(parts);
      await (await next.turn('s')).usage(REPORT, undefined, ONCE);
      expect([(await next.book.list('session'))[0]?.used.tokens, recorded(parts.directory)]).toEqual([100, 100]);
      await next.kill();
    }
    const other = await openBooks(parts);
    await (await other.turn('s')).usage(REPORT, undefined, { ...ONCE, key: 'another' });
    expect([(await other.book.list('session'))[0]?.used.tokens, recorded(parts.directory)]).toEqual([200, 200]);
  },
);
