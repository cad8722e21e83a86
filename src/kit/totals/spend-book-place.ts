import type { Amounts, SpendKey } from '../../core/gateway/gateway.ts';
import type { SpendBook } from '../../core/gateway/spend-book.ts';
import type { KitClock } from '../kit-case.ts';

/** Where the totals of one home are. */
export interface SpendBookPlace {
  /** What the books of the place go by. */
  readonly clock: KitClock;
  /** Opens the same totals once more, as another process would. Whoever made the place closes what was opened. */
  readonly open: () => Promise<SpendBook>;
}

export const SESSION: SpendKey = { scope: 'session', key: 's', period: '' };
export const DAY: SpendKey = { scope: 'day', key: '', period: '2026-01-15' };
export const SOURCE: SpendKey = { scope: 'source', key: 'cli', period: DAY.period };

/** What is used of one row. */
export async function usedOf(book: SpendBook, session: SpendKey): Promise<Amounts> {
  const [row] = await book.read({ session, limited: [] });
  return row?.used ?? {};
}
