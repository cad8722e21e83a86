import type { ArchiveItem, CheckpointItem, StrayItem, TrashItem } from '../core/retention/inventory.ts';
import type { PlanRequest, RuleCheck } from '../core/retention/plan.ts';
import { CHECKPOINT_RULES } from './checkpoint-rules.ts';
import type { ItemRule } from './item-rule.ts';
import { inDoubt, isFiltered, type RuleContext } from './rule-context.ts';

export type OtherItem = StrayItem | TrashItem | ArchiveItem | CheckpointItem;

/** The rule that decides about an item: the first that applies, unless a doubt stops it. */
export function judgeItem<T extends OtherItem>(item: T, context: RuleContext): ItemRule<T> {
  const rule = rulesOf(item).find(({ applies }) => applies(item, context)) ?? NOT_EXPIRED;
  return rule.action !== 'keep' && inDoubt(rule, context) ? IN_DOUBT : rule;
}

/** What every rule says of an item, in the order in which they are asked. */
export function traceItem(item: OtherItem, context: RuleContext): RuleCheck[] {
  return rulesOf(item).map((rule) => {
    const met = rule.applies(item, context);
    const stopped = met && rule.action !== 'keep' && inDoubt(rule, context);
    const off = rule.isOff?.(context) === true;
    return { rule: rule.reason, met, ...(off && { off }), ...(stopped && { stoppedBy: 'doubt' as const }) };
  });
}

const always = () => true;
const NOT_EXPIRED = { action: 'keep', reason: 'not-expired', applies: always } as const;
const IN_DOUBT = { action: 'keep', reason: 'doubt', applies: always } as const;

/** Where checkpoints in layouts of before are; a request to clear them brings nothing else that lies there. */
const LEGACY = 'checkpoints/';

/** Debris is the unfinished half of a write that never counted, so it is not worth a place in the trash. */
const STRAY_RULES: readonly ItemRule<StrayItem>[] = [
  {
    action: 'remove',
    reason: 'named',
    applies: ({ id }, { request }) => request.kind === 'clear-legacy' && id.startsWith(LEGACY),
  },
  {
    action: 'keep',
    reason: 'young',
    applies: ({ lastActiveAt }, { request }) => request.kind === 'clear-copies' && !(lastActiveAt < request.before),
  },
  { action: 'remove', reason: 'selected', applies: (_, { request }) => request.kind === 'clear-copies' },
  { action: 'keep', reason: 'not-selected', applies: (stray, { request }) => !asksFor(request, stray) },
  { action: 'keep', reason: 'future', applies: ({ lastActiveAt }, { now }) => !(lastActiveAt <= now) },
  {
    action: 'keep',
    reason: 'young',
    applies: ({ lastActiveAt }, { now, minAgeMs, overridesMinAge }) =>
      !overridesMinAge && now - lastActiveAt < minAgeMs,
  },
  { action: 'purge', reason: 'debris', applies: ({ kind }) => kind === 'debris' },
  { action: 'remove', reason: 'orphan', applies: always },
];

/**
 * Whoever asks for the files of sessions means also those that no session owns any more. They have no source, title or model,
 * so a request that is narrowed down by one of these does not mean them.
 */
function asksFor(request: PlanRequest, { kind, id, lastActiveAt }: StrayItem): boolean {
  if (request.kind === 'policy') return true;
  if (request.kind !== 'prune' || request.part !== 'files' || isFiltered(request)) return false;
  const { before = Infinity } = request;
  return kind === 'orphan' && id.startsWith(SESSION_FILES) && lastActiveAt < before;
}

/** Where the files of sessions are. */
const SESSION_FILES = 'sessions/';

const TRASH_RULES: readonly ItemRule<TrashItem>[] = [
  {
    action: 'keep',
    reason: 'not-selected',
    applies: ({ onlyCheckpoints = false }, { request: { kind } }) =>
      kind !== 'policy' && !(kind === 'checkpoints' && onlyCheckpoints),
  },
  { action: 'keep', reason: 'future', applies: ({ removedAt }, { now }) => !(removedAt <= now) },
  { action: 'keep', reason: 'in-grace', applies: ({ expiresAt }, { now }) => !(expiresAt <= now) },
  { action: 'purge', reason: 'trash-expired', applies: always },
];

const ARCHIVE_RULES: readonly ItemRule<ArchiveItem>[] = [
  {
    action: 'keep',
    reason: 'not-selected',
    applies: (item, { request, names }) => request.kind !== 'policy' && !names(item),
  },
  { action: 'keep', reason: 'pinned', applies: ({ pinned }) => pinned },
  {
    action: 'keep',
    reason: 'future',
    applies: ({ archivedAt, lastActiveAt }, { now }) => !(archivedAt <= now && lastActiveAt <= now),
  },
  {
    action: 'keep',
    reason: 'young',
    applies: ({ archivedAt, source }, { now, rulesFor, overridesMinAge }) =>
      !overridesMinAge && now - archivedAt < rulesFor(source).minAgeMs,
  },
  {
    action: 'keep',
    reason: 'tagged',
    applies: ({ tags, source }, { rulesFor }) => tags.some((tag) => rulesFor(source).keepTags.includes(tag)),
  },
  { action: 'remove', reason: 'named', applies: (item, { names }) => names(item) },
  {
    action: 'remove',
    reason: 'archive-retention',
    applies: ({ archivedAt }, { now, archiveRetentionMs }) =>
      archiveRetentionMs !== undefined && now - archivedAt >= archiveRetentionMs,
    isOff: ({ archiveRetentionMs }) => archiveRetentionMs === undefined,
  },
  NOT_EXPIRED,
];

function rulesOf<T extends OtherItem>(item: T): readonly ItemRule<T>[] {
  const rules: Record<OtherItem['kind'], unknown> = {
    orphan: STRAY_RULES,
    debris: STRAY_RULES,
    trash: TRASH_RULES,
    archive: ARCHIVE_RULES,
    checkpoint: CHECKPOINT_RULES,
  };
  return rules[item.kind] as readonly ItemRule<T>[];
}
