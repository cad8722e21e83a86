import type { KeepReason, Shortfall } from './plan.ts';
import { formatBytes } from '../format.ts';
import { REASON_WORDS } from './words.ts';

/** Which limit stays out of reach, by how much, and what stands in the way. */
export function shortfallSentence({ source, of, bytes, heldBytes }: Shortfall): string {
  const whose = source ?? of;
  const limit = whose === undefined ? 'The size limit' : `The size limit of ${whose}`;
  const held = Object.entries(heldBytes) as [KeepReason, number][];
  const blocks = held
    .toSorted((a, b) => b[1] - a[1])
    .map(([reason, size]) => `${REASON_WORDS[reason]} (${formatBytes(size)})`)
    .join(', ');
  // Sessions count here with what goes along with them, and elsewhere without: two figures for one thing need a word.
  const how = of === undefined ? ', with its part of the search index' : '';
  const why = blocks === '' ? '' : ` In the way${how}: ${blocks}.`;
  return `${limit} stays out of reach: ${formatBytes(bytes)} more would have to go.${why}`;
}
