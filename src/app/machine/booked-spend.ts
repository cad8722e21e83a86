import { totalTokens } from '../../core/sessions/session.ts';
import { isThere } from '../../platform/files/is-there.ts';
import type { HomeParts } from '../home-parts.ts';
import type { HomeSpend, Spent } from './home-spend.ts';

/**
 * What the book of usage has of a home whose transcripts tell what was used. Reading what is new would take as long as there is text, so
 * it is that or more; `coppice usage` reads it. Nothing where nobody has asked for it yet.
 */
export async function bookedSpend(parts: HomeParts): Promise<HomeSpend> {
  const { bookPath, openBook } = await import('../usage/open-book.ts');
  if (!isThere(await bookPath(parts))) return {};
  const { usageDays } = await import('../usage/usage-days.ts');
  const days = await usageDays(parts);
  const place = parts.foreign?.path ?? parts.layout.root;
  using book = await openBook(parts, days, []);
  if (book.files(place).size === 0) return {};
  const since = (from: string): Spent => {
    const { usage } = book.totals('agent', { from, place }).total;
    return { tokens: totalTokens(usage), costUsd: usage.costUsd, atLeast: true };
  };
  const today = days.dayOf(parts.clock.now());
  return { today: since(today), month: since(`${today.slice(0, 'yyyy-mm'.length)}-01`) };
}
