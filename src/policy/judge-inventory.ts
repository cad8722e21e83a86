import { dropOrder } from '../core/retention/checkpoint.ts';
import type { Inventory, SessionItem } from '../core/retention/inventory.ts';
import { findLineages, type Lineage } from './find-lineages.ts';
import { markFloors } from './floors.ts';
import { judgeItem, type OtherItem } from './item-rules.ts';
import { judgeLineage } from './judge-lineage.ts';
import { oldestFirst } from './pressure/oldest-first.ts';
import type { RuleContext } from './rule-context.ts';
import type { Verdict } from './verdict.ts';

export interface JudgedItem {
  readonly item: OtherItem;
  rule: Verdict;
  skipsTrash: boolean;
}

/** Everything in the inventory with the rule that decides about it, oldest first. Only pressure may still change that. */
export interface Judged {
  readonly context: RuleContext;
  readonly sessions: readonly SessionItem[];
  /** The lineage of each of `sessions`, in the same order. */
  readonly lineageOf: readonly Lineage[];
  readonly lineages: readonly Lineage[];
  /** Trash and debris, which free space at once, come before orphans and archives; then checkpoints as they are given up. */
  readonly others: readonly JudgedItem[];
}

/** The one classifier: status, plan, explanation and every run ask it. The order of the inventory is no matter. */
export function judgeInventory(inventory: Inventory, context: RuleContext): Judged {
  const sessions = oldestFirst(inventory.sessions, ({ lastActiveAt }) => lastActiveAt);
  const { lineages, lineageOf } = findLineages(sessions, context.rulesFor);
  markFloors(sessions, { lineages, lineageOf }, context);
  for (const lineage of lineages) lineage.rule = judgeLineage(lineage, context);
  if (context.request.kind === 'policy') judgeBeyondMax(lineages, context);
  return {
    context,
    sessions,
    lineageOf,
    lineages,
    others: othersOf(inventory).map((item) => ({ item, rule: judgeItem(item, context), skipsTrash: false })),
  };
}

/** Counts what stays in each source, newest first, and judges anew what is beyond `maxSessions`. Future ones are not counted. */
function judgeBeyondMax(lineages: readonly Lineage[], context: RuleContext): void {
  const counts = new Map<string, number>();
  for (const lineage of lineages.toReversed()) {
    const { source, lastActiveAt } = lineage.newest;
    const { maxSessions } = context.rulesFor(source);
    const goes = lineage.rule.action === 'remove' || lineage.rule.action === 'archive';
    if (maxSessions === undefined || goes || !(lastActiveAt <= context.now)) continue;
    const count = (counts.get(source) ?? 0) + 1;
    counts.set(source, count);
    if (count <= maxSessions) continue;
    lineage.beyondMax = true;
    lineage.rule = judgeLineage(lineage, context);
  }
}

function othersOf({ trash, strays, archives, checkpoints }: Inventory): OtherItem[] {
  const straysOldestFirst = oldestFirst(strays, ({ lastActiveAt }) => lastActiveAt);
  return [
    ...oldestFirst(trash, ({ removedAt }) => removedAt),
    ...straysOldestFirst.filter(({ kind }) => kind === 'debris'),
    ...straysOldestFirst.filter(({ kind }) => kind === 'orphan'),
    ...oldestFirst(archives, ({ lastActiveAt }) => lastActiveAt),
    ...dropOrder(checkpoints),
  ];
}
