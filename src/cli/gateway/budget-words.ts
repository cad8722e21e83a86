import type { BudgetStanding } from '../../app/gateway/budgets.ts';
import { isoTime } from '../../core/time.ts';
import { formatCount, formatDuration, formatTokens, formatUsd } from '../format.ts';
import { safeText } from '../safe-text.ts';

/** How a limit stands, in a sentence. */
export function budgetSentence({ scope, key, counter, limit, used, reserved, left, until }: BudgetStanding): string {
  const amount = AMOUNTS[counter];
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

const AMOUNTS: Readonly<Record<BudgetStanding['counter'], (amount: number) => string>> = {
  messages: (amount) => `${formatCount(amount)} messages`,
  bytes: (amount) => `${formatCount(amount)} bytes`,
  tokens: (amount) => `${formatTokens(amount)} tokens`,
  nanoUsd: (amount) => formatUsd(amount / 1e9),
  iterations: (amount) => `${formatCount(amount)} steps`,
  wallMs: formatDuration,
};
