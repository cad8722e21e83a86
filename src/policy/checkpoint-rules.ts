import type { CheckpointItem } from '../core/inventory.ts';
import { HOUR_MS } from '../core/time.ts';
import type { ItemRule } from './item-rule.ts';

/** A folder may be on its way to another place: its checkpoints are not given up within this time of the last one. */
const MIN_AGE_MS = HOUR_MS;

/**
 * In order: what the request is not about, the holds, the count, which binds a project at work too, and then what time lets
 * go of. The newest of a project stays, unless its folder is gone and a person asked. Size limits come after these rules.
 */
export const CHECKPOINT_RULES: readonly ItemRule<CheckpointItem>[] = [
  {
    action: 'keep',
    reason: 'not-selected',
    applies: (_, { request: { kind } }) => kind !== 'policy' && kind !== 'checkpoints' && kind !== 'clear-checkpoints',
  },
  { action: 'keep', reason: 'pinned', applies: ({ pinned }) => pinned },
  { action: 'keep', reason: 'needed', applies: ({ needed }) => needed },
  { action: 'keep', reason: 'unreachable', applies: ({ place }) => place === 'unreachable' },
  { action: 'keep', reason: 'future', applies: ({ takenAt }, { now }) => !(takenAt <= now) },
  {
    action: 'remove',
    reason: 'max-snapshots',
    applies: (item, { request, checkpoints }) => request.kind !== 'clear-checkpoints' && checkpoints.surplus.has(item),
  },
  { action: 'keep', reason: 'active', applies: ({ active }) => active },
  { action: 'remove', reason: 'named', applies: (_, { request }) => request.kind === 'clear-checkpoints' },
  {
    action: 'remove',
    reason: 'gone',
    applies: ({ place, takenAt }, { request, now }) =>
      request.kind === 'checkpoints' && !request.keepOrphans && place === 'gone' && now - takenAt >= MIN_AGE_MS,
  },
  {
    // It stays as the newest in any case; this says that it will not for long.
    action: 'keep',
    reason: 'young',
    applies: (item, { request, checkpoints }) =>
      request.kind === 'checkpoints' && !request.keepOrphans && item.place === 'gone' && checkpoints.newest.has(item),
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
