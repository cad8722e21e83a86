import type { Judged, JudgedItem } from '../judge-inventory.ts';
import { limitOf } from '../rules-by-source.ts';
import type { Removal } from '../verdict.ts';

const PURGE: Removal = { action: 'purge', reason: 'trash-size' };

/** Where the trash takes more than it may, its oldest runs go for good, although they could still be undone. */
export function boundTrash({ others, context }: Judged, maxBytes: number | undefined): void {
  if (context.activityUnknown) return;
  const waiting = others.filter(isWaiting);
  let sizeBytes = waiting.reduce((sum, { item }) => sum + item.sizeBytes, 0);
  for (const judged of waiting) {
    if (sizeBytes <= (limitOf(maxBytes) ?? Infinity)) return;
    judged.rule = PURGE;
    sizeBytes -= judged.item.sizeBytes;
  }
}

/** Oldest first, as they were judged. */
function isWaiting({ item, rule }: JudgedItem): boolean {
  return item.kind === 'trash' && (rule.reason === 'in-grace' || rule.reason === 'doubt');
}
