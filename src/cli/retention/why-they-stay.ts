import type { Decision, KeepReason, Plan } from '../../core/retention/plan.ts';
import { formatCount, plural } from '../print/format.ts';
import { REASON_WORDS } from '../../core/retention/words.ts';

/**
 * Why checkpoints stay, for somebody who has not seen the plan, and what to do about it for anybody. Empty where none was
 * looked at.
 */
export function whyTheyStay(
  { decisions, request }: Pick<Plan, 'decisions' | 'request'>,
  { unseen }: { readonly unseen: boolean },
): string[] {
  if (request.kind === 'clear-legacy') return LEGACY_IN_USE;
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

/** A repository for each folder is the layout of before only once there is one for all. */
const LEGACY_IN_USE = [
  'Layouts that nothing uses any more are cleared here, and there are none.',
  'Clear those in use with: coppice checkpoints clear; those of folders that cannot be found with: coppice checkpoints prune --unreachable',
];

type KeptCheckpoint = Extract<Decision, { readonly action: 'keep' }>;

function isKeptCheckpoint(decision: Decision): decision is KeptCheckpoint {
  return decision.action === 'keep' && decision.item.kind === 'checkpoint' && decision.reason !== 'not-selected';
}

const WHAT_TO_DO: Partial<Record<KeepReason, string>> = {
  young:
    'A folder that was removed may have been moved, so its checkpoints stay for an hour after the last one. Run this again then.',
  unreachable:
    'A folder that cannot be reached may be on a volume that is not there; connect it. If it is gone for good, say so: coppice checkpoints prune --gone PATH; or for all such folders: coppice checkpoints prune --unreachable',
};
