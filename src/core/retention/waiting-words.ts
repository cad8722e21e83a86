import { formatBytes, formatCount, formatDate, plural } from '../format.ts';
import type { Waiting } from './maintenance.ts';
import type { GuardReason } from './plan.ts';

/** What waits and until when. */
export function waitingSentence({ items, sizeBytes, until }: Pick<Waiting, 'items' | 'sizeBytes' | 'until'>): string {
  const amount = `${plural(items, 'item')} (${formatBytes(sizeBytes)})`;
  return until === undefined
    ? `${amount} would go and ${items === 1 ? 'is' : 'are'} held.`
    : `${amount} will go by ${formatDate(until)}, unless you hold ${items === 1 ? 'it' : 'them'}:`;
}

/** Why it waits. */
export function reasonSentence(reason: GuardReason): string {
  switch (reason.kind) {
    case 'first-run':
      return 'It is the first pass over this home, which only announces.';
    case 'stricter-policy':
      return `The rules became stricter: ${plural(reason.count, 'item')} would go that stayed before.`;
    case 'too-many':
      return `${formatCount(reason.count)} ${reason.of} are more than go at once (${formatCount(reason.limit)}), so the rest follows.`;
    case 'empties-group':
      return `Nothing would be left of ${reason.source}${reason.workdir === undefined ? '' : ` in ${reason.workdir}`}.`;
    case 'trash-size':
      return `The trash is larger than trash.max_mb: ${plural(reason.count, 'run')} in it would go before the time to undo is over.`;
    case 'held':
      return `You hold it since ${formatDate(reason.since)}.`;
    default:
      return reason satisfies never;
  }
}
