import type { Inventory } from '../core/inventory.ts';
import type { KeepReason, Shortfall } from '../core/plan.ts';
import type { DiskRules } from '../core/policy.ts';
import { bytesLeft, type Fate, type Subject, subjectBytes } from './bytes-left.ts';
import type { Judged } from './judge-inventory.ts';
import { type Way, waysToGiveUp } from './pressure-stages.ts';
import { limitOf } from './rules-by-source.ts';

/** One limit that is exceeded, and how far it is met. */
interface Goal {
  readonly source?: string;
  readonly neededBytes: number;
  freedBytes: number;
}

interface Step {
  readonly subject: Subject;
  readonly before: Pick<Subject, 'rule' | 'skipsTrash'>;
  /** Bytes freed on disk, and bytes that no longer count for the source. */
  readonly freedBytes: number;
  readonly freedOfSource: number;
}

/**
 * Where a size limit is exceeded, changes verdicts until its low-water mark is reached, in the order of giving up. Then gives
 * back whatever was not needed after all, dearest first, so that no single change could be left out. Never touches what a hold,
 * a tag or a floor protects; says what is missing for marks that stay out of reach.
 */
export function relievePressure(judged: Judged, disk: DiskRules, facts: Inventory['disk']): Shortfall[] {
  if (!hasLimits(disk)) return [];
  const subjects: readonly Subject[] = [...judged.others, ...judged.lineages];
  const home = homeGoal(subjects, disk, facts);
  const sources = sourceGoals(subjects, disk);
  const steps: Step[] = [];
  for (const goal of judged.context.activityUnknown ? [] : [...sources.values(), home]) {
    for (const way of goal.freedBytes < goal.neededBytes ? waysToGiveUp(judged, goal.source) : []) {
      if (goal.freedBytes >= goal.neededBytes) break;
      const step = take(way);
      if (step !== undefined) steps.push(count(step, home, sources));
    }
  }
  giveBack(steps, home, sources);
  return [...sources.values(), home]
    .filter((goal) => goal.freedBytes < goal.neededBytes)
    .map((goal) => shortfall(goal, judged));
}

/** Without a limit nothing is ever short, and nothing need be counted. */
function hasLimits({ maxBytes, minFreeBytes, bySource }: DiskRules): boolean {
  return maxBytes !== undefined || minFreeBytes !== undefined || Object.keys(bySource).length > 0;
}

function homeGoal(subjects: readonly Subject[], disk: DiskRules, facts: Inventory['disk']): Goal {
  let decidedBytes = 0;
  for (const subject of subjects) decidedBytes += subjectBytes(subject) - bytesLeft(subject, fateOf(subject));
  const lowWater = lowWaterOf(disk);
  const usedBytes = facts.usedBytes - decidedBytes;
  const freeBytes = facts.freeBytes + decidedBytes;
  const maxBytes = limitOf(disk.maxBytes) ?? Infinity;
  const minFreeBytes = limitOf(disk.minFreeBytes) ?? 0;
  const overCap = usedBytes > maxBytes ? usedBytes - Math.floor(maxBytes * lowWater) : 0;
  const underFree = freeBytes < minFreeBytes ? Math.ceil(minFreeBytes * (2 - lowWater)) - freeBytes : 0;
  return { neededBytes: Math.max(overCap, underFree), freedBytes: 0 };
}

function sourceGoals(subjects: readonly Subject[], disk: DiskRules): Map<string, Goal> {
  const limits = Object.entries(disk.bySource).filter(([, { maxBytes }]) => limitOf(maxBytes) !== undefined);
  const used = new Map(limits.map(([source]) => [source, 0]));
  for (const subject of limits.length === 0 ? [] : subjects) {
    const source = sourceOf(subject);
    const sum = source === undefined ? undefined : used.get(source);
    if (source !== undefined && sum !== undefined) used.set(source, sum + liveBytes(subject));
  }
  const goals = limits
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, { maxBytes }]): [string, Goal] => {
      const usedBytes = used.get(source) ?? 0;
      const neededBytes = usedBytes > maxBytes ? usedBytes - Math.floor(maxBytes * lowWaterOf(disk)) : 0;
      return [source, { source, neededBytes, freedBytes: 0 }];
    });
  return new Map(goals);
}

/** Changes the verdict if that frees anything. */
function take({ subject, rule }: Way): Step | undefined {
  const before = { rule: subject.rule, skipsTrash: subject.skipsTrash };
  const [wasOnDisk, wasLive] = [bytesLeft(subject, fateOf(subject)), liveBytes(subject)];
  subject.rule = rule;
  subject.skipsTrash = rule.action !== 'archive' && rule.action !== 'purge';
  const freedBytes = wasOnDisk - bytesLeft(subject, fateOf(subject));
  const freedOfSource = wasLive - liveBytes(subject);
  if (freedBytes > 0 && freedOfSource >= 0) return { subject, before, freedBytes, freedOfSource };
  Object.assign(subject, before);
  return undefined;
}

function count(step: Step, home: Goal, sources: ReadonlyMap<string, Goal>): Step {
  home.freedBytes += step.freedBytes;
  const source = goalOf(step, sources);
  if (source !== undefined) source.freedBytes += step.freedOfSource;
  return step;
}

function giveBack(steps: readonly Step[], home: Goal, sources: ReadonlyMap<string, Goal>): void {
  const final = new Set<Subject>();
  for (const step of steps.toReversed()) {
    const source = goalOf(step, sources);
    const spare = isSpare(home, step.freedBytes) && (source === undefined || isSpare(source, step.freedOfSource));
    if (!spare || final.has(step.subject)) {
      final.add(step.subject);
      continue;
    }
    Object.assign(step.subject, step.before);
    home.freedBytes -= step.freedBytes;
    if (source !== undefined) source.freedBytes -= step.freedOfSource;
  }
}

function isSpare({ neededBytes, freedBytes }: Goal, bytes: number): boolean {
  return bytes === 0 || neededBytes === 0 || freedBytes - bytes >= neededBytes;
}

/** By what keeps them, the bytes that are still there. */
function shortfall({ source, neededBytes, freedBytes }: Goal, { others, lineages, context }: Judged): Shortfall {
  const heldBytes: Partial<Record<KeepReason, number>> = {};
  for (const subject of [...others, ...lineages]) {
    const bytes = source === undefined ? bytesLeft(subject, fateOf(subject)) : liveBytes(subject);
    if (bytes === 0 || (source !== undefined && sourceOf(subject) !== source)) continue;
    const reason = holderOf(subject, context.activityUnknown);
    heldBytes[reason] = (heldBytes[reason] ?? 0) + bytes;
  }
  return { ...(source !== undefined && { source }), bytes: neededBytes - freedBytes, heldBytes };
}

function holderOf(subject: Subject, activityUnknown: boolean): KeepReason {
  const { rule } = subject;
  const held = rule.action === 'keep' && rule.reason !== 'not-expired';
  if (held) return rule.reason;
  return activityUnknown ? 'doubt' : 'keep-last';
}

function goalOf({ subject }: Step, sources: ReadonlyMap<string, Goal>): Goal | undefined {
  const source = sourceOf(subject);
  return source === undefined ? undefined : sources.get(source);
}

/** Trash counts for no source, so what is on its way there no longer does. */
function liveBytes(subject: Subject): number {
  return bytesLeft(subject, { action: subject.rule.action, skipsTrash: true });
}

function fateOf({ rule, skipsTrash }: Subject): Fate {
  return { action: rule.action, skipsTrash };
}

function sourceOf(subject: Subject): string | undefined {
  if ('newest' in subject) return subject.newest.source;
  return subject.item.kind === 'archive' ? subject.item.source : undefined;
}

function lowWaterOf({ lowWater }: DiskRules): number {
  return lowWater > 0 && lowWater <= 1 ? lowWater : 1;
}
