import type { Decision, KeepReason, Plan } from '../../core/plan.ts';
import { formatCount, plural } from '../format.ts';
import { REASON_WORDS } from './words.ts';

/**
 * Why checkpoints stay, for somebody who has not seen the plan, and what to do about it for anybody. Empty where none was
 * looked at.
 */
export function whyTheyStay(
  { decisions }: Pick<Plan, 'decisions'>,
  { unseen }: { readonly unseen: boolean },
): string[] {
  const counts = new Map<KeepReason, number>();
  for (const decision of decisions) {
    if (isKeptCheckpoint(decision)) counts.set(decision.reason, (counts.get(decision.reason) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const most = [...counts].toSorted((a, b) => b[1] - a[1]);
  const total = most.reduce((sum, [, count]) => sum + count, 0);
  const why = most.map(([reason, count]) => `${REASON_WORDS[reason]} (${formatCount(count)})`).join(', ');
  return [
    ...(unseen ? [`${plural(total, 'checkpoint')} ${total === 1 ? 'stays' : 'stay'}: ${why}.`] : []),
    ...most.flatMap(([reason]) => WHAT_TO_DO[reason] ?? []),
  ];
}

type KeptCheckpoint = Extract<Decision, { readonly action: 'keep' }>;

function isKeptCheckpoint(decision: Decision): decision is KeptCheckpoint {
  return decision.action === 'keep' && decision.item.kind === 'checkpoint' && decision.reason !== 'not-selected';
}

const WHAT_TO_DO: Partial<Record<KeepReason, string>> = {
  young:
    'A folder that was removed may have been moved, so its checkpoints stay for an hour after the last one. Run this again then.',
  unreachable:
    'A folder that cannot be reached may be on a volume that is not there: connect it. If it is gone for good, create it again: then its checkpoints can go.',
};
