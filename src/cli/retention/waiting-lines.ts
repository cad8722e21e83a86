import type { Waiting } from '../../core/retention/maintenance.ts';
import type { GuardReason } from '../../core/retention/plan.ts';
import type { GlobalOptions } from '../command.ts';
import { formatBytes, formatCount, formatDate, plural } from '../format.ts';
import { hintCommand } from '../hint-command.ts';

/** What waits, why and until when, and what a person can do about it. */
export function waitingLines(global: Pick<GlobalOptions, 'home' | 'remote'>, waiting: Waiting): string[] {
  const { items, sizeBytes, reasons, until } = waiting;
  const amount = `${plural(items, 'item')} (${formatBytes(sizeBytes)})`;
  const head =
    until === undefined
      ? `${amount} would go and ${items === 1 ? 'is' : 'are'} held.`
      : `${amount} will go by ${formatDate(until)}, unless you hold ${items === 1 ? 'it' : 'them'}:`;
  return [
    head,
    ...reasons.map((reason) => `  ${reasonSentence(reason)}`),
    `  See which: ${hintCommand(global, 'plan')}`,
    until === undefined
      ? `  Let maintenance go on: ${hintCommand(global, 'maintain', 'release')}`
      : `  Hold: ${hintCommand(global, 'maintain', 'hold')}   Do it now: ${hintCommand(global, 'maintain', '--allow')}`,
  ];
}

function reasonSentence(reason: GuardReason): string {
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
