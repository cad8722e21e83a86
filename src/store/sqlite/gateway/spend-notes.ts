import type { Database } from 'better-sqlite3';
import type { SpendKey } from '../../../core/gateway/gateway.ts';
import type { Correction, NewCorrection, SpendShare } from '../../../core/gateway/spend-book.ts';
import type { Clock } from '../../../core/time.ts';

/** What is noted beside the totals: which shares of a limit were told, and what was taken back, by whom and why. */
export function createSpendNotes(db: Database, clock: Clock) {
  const tell = db.prepare('INSERT INTO told VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const lower =
    db.prepare(`UPDATE spend SET tokens = max(0, tokens - ?), nano_usd = max(0, nano_usd - ?), updated_at = ?
    WHERE scope = ? AND key = ? AND period = ?`);
  const note = db.prepare(`INSERT INTO corrections (session, tokens, nano_usd, corrected_by, reason, corrected_at)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const list = db.prepare<[], CorrectionRow>('SELECT * FROM corrections ORDER BY id DESC');
  const hasUsed = db.prepare<[string, number, number], number>(
    `SELECT 1 FROM spend WHERE scope = 'session' AND key = ? AND tokens >= ? AND nano_usd >= ?`,
  );
  // A share that is not used any more is told again when it is.
  const untell = db.prepare(`DELETE FROM told WHERE scope = ? AND key = ? AND period = ? AND counter = ?
    AND of_limit * percent > 100 * (SELECT CASE told.counter WHEN 'tokens' THEN tokens ELSE nano_usd END FROM spend
      WHERE spend.scope = told.scope AND spend.key = told.key AND spend.period = told.period)`);
  const correct = db.transaction((keys: readonly SpendKey[], correction: NewCorrection): boolean => {
    const { sessionId, tokens, nanoUsd, by, reason } = correction;
    if (hasUsed.get(sessionId, tokens, nanoUsd) === undefined) return false;
    const now = clock.now();
    for (const { scope, key, period } of keys) {
      lower.run(tokens, nanoUsd, now, scope, key, period);
      for (const counter of ['tokens', 'nanoUsd']) untell.run(scope, key, period, counter);
    }
    note.run(sessionId, tokens, nanoUsd, by, reason, now);
    return true;
  });
  return {
    tell({ scope, key, period, counter, percent, limit }: SpendShare): boolean {
      return tell.run(scope, key, period, counter, percent, Math.round(limit), clock.now()).changes > 0;
    },
    correct: (keys: readonly SpendKey[], correction: NewCorrection): boolean => correct.immediate(keys, correction),
    corrections(): readonly Correction[] {
      return list.all().map((row) => ({
        sessionId: row.session,
        tokens: row.tokens,
        nanoUsd: row.nano_usd,
        by: row.corrected_by,
        reason: row.reason,
        at: row.corrected_at,
      }));
    },
  };
}

interface CorrectionRow {
  readonly session: string;
  readonly tokens: number;
  readonly nano_usd: number;
  readonly corrected_by: string;
  readonly reason: string;
  readonly corrected_at: number;
}
