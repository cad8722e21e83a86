import { dropOrder } from '../core/checkpoint.ts';
import type { Inventory, SessionItem } from '../core/inventory.ts';
import type { KeepReason, RemoveAction, RemoveReason } from '../core/plan.ts';
import type { EpochMs } from '../core/time.ts';
import { findLineages, type Lineage } from './find-lineages.ts';
import { markFloors } from './floors.ts';
import { judgeItem, type OtherItem } from './item-rules.ts';
import { judgeLineage } from './judge-lineage.ts';
import type { RuleContext } from './rule-context.ts';
import type { KeepRule } from './session-rules.ts';

export type Removal = { readonly action: RemoveAction; readonly reason: RemoveReason };

export interface JudgedLineage {
  readonly lineage: Lineage;
  rule: KeepRule | Removal;
  skipsTrash: boolean;
}

export interface JudgedItem {
  readonly item: OtherItem;
  rule: { readonly action: 'keep'; readonly reason: KeepReason } | Removal;
  skipsTrash: boolean;
}

/** Everything in the inventory with the rule that decides about it, oldest first. Only pressure may still change that. */
export interface Judged {
  readonly context: RuleContext;
  readonly sessions: readonly SessionItem[];
  /** The verdict on each of `sessions`, in the same order; members of a lineage share one. */
  readonly verdicts: readonly JudgedLineage[];
  readonly lineages: readonly JudgedLineage[];
  /** Trash and debris, which free space at once, come before orphans and archives; then checkpoints as they are given up. */
  readonly others: readonly JudgedItem[];
}

/** The one classifier: status, plan, explanation and every run ask it. The order of the inventory is no matter. */
export function judgeInventory(inventory: Inventory, context: RuleContext): Judged {
  const sessions = oldestFirst(inventory.sessions, ({ lastActiveAt }) => lastActiveAt);
  const found = findLineages(sessions, context.rulesFor);
  markFloors(sessions, found, context);
  const judged = found.lineages.map(
    (lineage): JudgedLineage => ({ lineage, rule: judgeLineage(lineage, context), skipsTrash: false }),
  );
  if (context.request.kind === 'policy') judgeBeyondMax(judged, context);
  return {
    context,
    sessions,
    verdicts: verdictsOf(found.lineageOf, judged),
    lineages: judged,
    others: othersOf(inventory).map((item) => ({ item, rule: judgeItem(item, context), skipsTrash: false })),
  };
}

/** Most conversations are a single session, and then both lists are in the same order. */
function verdictsOf(lineageOf: readonly Lineage[], judged: readonly JudgedLineage[]): readonly JudgedLineage[] {
  if (judged.length === lineageOf.length) return judged;
  const byLineage = new Map(judged.map((verdict) => [verdict.lineage, verdict]));
  return lineageOf.flatMap((lineage) => byLineage.get(lineage) ?? []);
}

/** Counts what stays in each source, newest first, and judges anew what is beyond `maxSessions`. Future ones are not counted. */
function judgeBeyondMax(lineages: readonly JudgedLineage[], context: RuleContext): void {
  const counts = new Map<string, number>();
  for (const judged of lineages.toReversed()) {
    const { lineage, rule } = judged;
    const { maxSessions } = context.rulesFor(lineage.source);
    const goes = rule.action === 'remove' || rule.action === 'archive';
    if (maxSessions === undefined || goes || !(lineage.lastActiveAt <= context.now)) continue;
    const count = (counts.get(lineage.source) ?? 0) + 1;
    counts.set(lineage.source, count);
    if (count <= maxSessions) continue;
    lineage.beyondMax = true;
    judged.rule = judgeLineage(lineage, context);
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

/** By time, then by id; a time that is not a number comes last, where the future is. */
function oldestFirst<T extends { readonly id: string }>(items: readonly T[], timeOf: (item: T) => EpochMs): T[] {
  const keyOf = (item: T) => {
    const time = timeOf(item);
    return Number.isNaN(time) ? Infinity : time;
  };
  return items.toSorted((a, b) => keyOf(a) - keyOf(b) || (a.id < b.id ? -1 : 1));
}
