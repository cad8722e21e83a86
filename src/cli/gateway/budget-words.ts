import type { BudgetStanding } from '../../app/gateway/budgets.ts';
import { type Form, LIMITS, type SpentCounter } from '../../core/gateway/limits.ts';
import { isoTime } from '../../core/time.ts';
import { formatBytes, formatCount, formatDuration, formatTokens, formatUsd } from '../print/format.ts';
import { safeText } from '../print/safe-text.ts';

/** How a limit stands, in a sentence. */
export function budgetSentence({ scope, key, counter, limit, used, reserved, left, until }: BudgetStanding): string {
  const amount = (of: number) => amountOf(counter, of);
  const whose = scope === 'session' ? 'This session' : scope === 'day' ? 'All sessions today' : `${key} today`;
  const aside = reserved > 0 ? `, ${amount(reserved)} set aside by calls under way` : '';
  const anew = until === undefined ? '' : `, anew at ${isoTime(until)}`;
  return `${whose}: ${amount(used)} of ${amount(limit)} used${aside}, ${amount(left)} left${anew}.`;
}

/** Which models cost nothing here because nobody knows their price. Names are an agent's words. */
export function unpricedSentence(models: readonly string[]): string {
  const named = models.slice(0, MOST_NAMED).map(safeText).join(', ');
  const rest = models.length > MOST_NAMED ? ` and ${models.length - MOST_NAMED} more` : '';
  return `No price is known for ${named}${rest}, so it counts as $0. Set it under prices in config.yaml.`;
}

const MOST_NAMED = 5;

/** An amount as people read it, without what it is of. */
export function formatAmount(counter: SpentCounter, amount: number): string {
  return FORMATS[LIMITS[counter].form](amount);
}

const FORMATS: Readonly<Record<Form, (amount: number) => string>> = {
  count: formatCount,
  tokens: formatTokens,
  bytes: formatBytes,
  usd: (amount) => formatUsd(amount / 1e9),
  time: formatDuration,
};

function amountOf(counter: SpentCounter, amount: number): string {
  const { form, noun } = LIMITS[counter];
  const text = formatAmount(counter, amount);
  return form === 'usd' || form === 'time' ? text : `${text} ${noun}`;
}
