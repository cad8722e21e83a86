import { isAtOrBelow, SECOND_LOOK_MS } from '../core/retention/checkpoint.ts';
import type { CheckpointItem } from '../core/retention/inventory.ts';
import type { PlanRequest } from '../core/retention/plan.ts';
import { HOUR_MS } from '../core/time.ts';
import type { ItemRule } from './item-rule.ts';
import type { RuleContext } from './rule-context.ts';

/** A folder may be on its way to another place: its checkpoints are not given up within this time of the last one. */
export const MIN_AGE_MS = HOUR_MS;
/** The last checkpoint of a folder stays so many times longer than any other. */
export const STALE_FACTOR = 3;

/**
 * In order: what the request is not about, the holds, the count, which binds a project at work too, and then what time lets
 * go of. The newest of a project stays until its folder is gone, or nobody took another one for long. Size limits come after
 * these rules.
 */
export const CHECKPOINT_RULES: readonly ItemRule<CheckpointItem>[] = [
  {
    action: 'keep',
    reason: 'not-selected',
    applies: (item, { request }) => !isAbout(request, item),
  },
  { action: 'keep', reason: 'pinned', applies: ({ pinned }) => pinned },
  { action: 'keep', reason: 'needed', applies: ({ needed }) => needed },
  {
    action: 'keep',
    reason: 'unreachable',
    applies: ({ place }, { request }) => place === 'unreachable' && !isSaidGone(request),
  },
  { action: 'keep', reason: 'future', applies: ({ takenAt }, { now }) => !(takenAt <= now) },
  {
    action: 'remove',
    reason: 'max-snapshots',
    applies: (item, { request, checkpoints }) => request.kind !== 'clear-checkpoints' && checkpoints.surplus.has(item),
  },
  { action: 'keep', reason: 'active', applies: ({ active }) => active },
  { action: 'remove', reason: 'said-gone', applies: (_, { request }) => isSaidGone(request) },
  { action: 'remove', reason: 'named', applies: (_, { request }) => request.kind === 'clear-checkpoints' },
  {
    action: 'remove',
    reason: 'gone',
    applies: (item, context) => isGone(item, context) && context.now - item.takenAt >= MIN_AGE_MS,
  },
  {
    action: 'remove',
    reason: 'stale',
    applies: (item, { now, checkpoints: { newest, retentionMs } }) =>
      newest.has(item) && retentionMs !== undefined && now - item.takenAt >= retentionMs * STALE_FACTOR,
  },
  {
    // It stays as the newest in any case; this says that it will not for long.
    action: 'keep',
    reason: 'young',
    applies: (item, context) => isGone(item, context) && context.checkpoints.newest.has(item),
  },
  { action: 'keep', reason: 'keep-last', applies: (item, { checkpoints }) => checkpoints.newest.has(item) },
  {
    action: 'remove',
    reason: 'retention',
    applies: ({ takenAt }, { now, checkpoints: { retentionMs } }) =>
      retentionMs !== undefined && now - takenAt >= retentionMs,
  },
  { action: 'keep', reason: 'not-expired', applies: () => true },
];

function isAbout(request: PlanRequest, { workdir, place }: CheckpointItem): boolean {
  if (request.kind !== 'clear-checkpoints') return request.kind === 'policy' || request.kind === 'checkpoints';
  const { gone, unreachable = false } = request;
  if (gone !== undefined) return place !== 'present' && isAtOrBelow(workdir, gone);
  return !unreachable || place === 'unreachable';
}

function isSaidGone(request: PlanRequest): boolean {
  return request.kind === 'clear-checkpoints' && (request.gone !== undefined || request.unreachable === true);
}

/** Somebody who looks at the plan believes what is seen now; where nobody does, it takes two looks. */
function isGone({ place, seenGoneAt }: CheckpointItem, { request, now }: RuleContext): boolean {
  if (request.kind !== 'checkpoints' || request.keepOrphans || place !== 'gone') return false;
  return request.unattended !== true || (seenGoneAt !== undefined && now - seenGoneAt >= SECOND_LOOK_MS);
}
