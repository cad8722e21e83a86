import type { Inventory } from '../../core/retention/inventory.ts';
import type { KeepReason, Shortfall } from '../../core/retention/plan.ts';
import type { DiskRules } from '../../core/retention/policy.ts';
import type { Judged } from '../judge-inventory.ts';
import { limitOf } from '../rules-by-source.ts';
import { bytesLeft, indexPart, type Subject, subjectBytes } from './bytes-left.ts';
import { isFreeTrash, type Way, waysToGiveUp, waysToLoseUndo } from './pressure-stages.ts';

/** One limit that is exceeded, and how far it is met. */
interface Goal {
  readonly source?: string;
  readonly neededBytes: number;
  freedBytes: number;
}

interface Step {
  readonly subject: Subject;
  readonly before: Pick<Subject, 'rule' | 'skipsTrash'>;
  readonly freedBytes: number;
}

/**
 * Where a size limit is exceeded, changes verdicts until its low-water mark is reached, in two rounds. In the first, things are
 * given up in order, into the trash: enough that the limits hold once the trash is empty. In the second, only where something may
 * go for good, the way back is given up until they hold now, that of what was removed longest ago first. Each round then
 * gives back whatever was not needed after all, dearest first, so that no single change could be left out. Never touches what a
 * hold, a tag or a floor protects; says what is missing for marks that stay out of reach.
 */
export function relievePressure(
  judged: Judged,
  disk: DiskRules,
  inventory: Pick<Inventory, 'disk' | 'sessions' | 'trash'>,
): Shortfall[] {
  if (!hasLimits(disk)) return [];
  const { disk: facts } = inventory;
  const subjects: readonly Subject[] = [...judged.others, ...judged.lineages];
  const measures = measuresWith(indexPart(inventory));
  const { live, onDisk } = measures;
  const freedBytes = (measure: Measure) =>
    subjects.reduce((sum, subject) => sum + measures.all(subject) - measure(subject), 0);
  const sources = sourceGoals(subjects, disk, live);
  const home = homeGoal(disk, facts, freedBytes(live));
  const stuck = judged.context.activityUnknown;
  const steps: Step[] = [];
  for (const goal of stuck ? [] : [...sources.values(), home])
    steps.push(...pursue(goal, waysToGiveUp(judged, goal.source), { measure: live, count: counter(home, sources) }));
  giveBack(steps, (step) => goalsOf(step, home, sources));
  const now = homeGoal(disk, facts, freedBytes(onDisk));
  if (disk.forGood && !stuck) {
    const count = counter(now, new Map());
    giveBack([...pursue(now, waysToLoseUndo(judged), { measure: onDisk, count })], () => [now]);
  }
  // What waits in the trash is no shortfall: it comes back by itself, or was given up in the second round.
  const short = [...sources.values(), home].filter((goal) => missingBytes(goal) > 0);
  return short.map((goal) => shortfall(goal, judged, measures));
}

/** Without a limit nothing is ever short, and nothing need be counted. */
function hasLimits({ maxBytes, minFreeBytes, bySource }: DiskRules): boolean {
  return maxBytes !== undefined || minFreeBytes !== undefined || Object.keys(bySource).length > 0;
}

type Measure = (subject: Subject) => number;

interface Measures {
  /** What a subject takes now. */
  readonly all: Measure;
  /** What it takes once the trash is empty. Trash that somebody may still want to undo counts as gone as well. */
  readonly live: Measure;
  /** What it takes when the run ends. */
  readonly onDisk: Measure;
}

/** All with the part of the search index that goes along, or more would be given up than the limit asks for. */
function measuresWith(alongEach: number): Measures {
  const left = (subject: Subject, skipsTrash: boolean) =>
    bytesLeft(subject, { action: subject.rule.action, skipsTrash }, alongEach);
  return {
    all: (subject) => subjectBytes(subject, alongEach),
    live: (subject) => ('item' in subject && isFreeTrash(subject) ? 0 : left(subject, true)),
    onDisk: (subject) => left(subject, subject.skipsTrash),
  };
}

function homeGoal(disk: DiskRules, facts: Inventory['disk'], decidedBytes: number): Goal {
  const lowWater = lowWaterOf(disk);
  const usedBytes = facts.usedBytes - decidedBytes;
  const freeBytes = facts.freeBytes + decidedBytes;
  const maxBytes = limitOf(disk.maxBytes) ?? Infinity;
  const minFreeBytes = limitOf(disk.minFreeBytes) ?? 0;
  const overCap = usedBytes > maxBytes ? usedBytes - Math.floor(maxBytes * lowWater) : 0;
  const underFree = freeBytes < minFreeBytes ? Math.ceil(minFreeBytes * (2 - lowWater)) - freeBytes : 0;
  return { neededBytes: Math.max(overCap, underFree), freedBytes: 0 };
}

/** Trash counts for no source, so what is on its way there no longer does. */
function sourceGoals(subjects: readonly Subject[], disk: DiskRules, live: Measure): Map<string, Goal> {
  const limits = Object.entries(disk.bySource).filter(([, { maxBytes }]) => limitOf(maxBytes) !== undefined);
  const used = new Map(limits.map(([source]) => [source, 0]));
  for (const subject of limits.length === 0 ? [] : subjects) {
    const source = sourceOf(subject);
    const sum = source === undefined ? undefined : used.get(source);
    if (source !== undefined && sum !== undefined) used.set(source, sum + live(subject));
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

interface Pursuit {
  readonly measure: Measure;
  readonly count: (step: Step) => void;
}

/** Takes one way after the other until the goal is reached. */
function* pursue(goal: Goal, ways: Iterable<Way>, { measure, count }: Pursuit): Generator<Step> {
  if (missingBytes(goal) <= 0) return;
  for (const way of ways) {
    if (missingBytes(goal) <= 0) return;
    const step = take(way, measure);
    if (step === undefined) continue;
    count(step);
    yield step;
  }
}

/** Changes the verdict if that frees anything. */
function take({ subject, rule, skipsTrash = false }: Way, measure: Measure): Step | undefined {
  const before = { rule: subject.rule, skipsTrash: subject.skipsTrash };
  const was = measure(subject);
  Object.assign(subject, { rule, skipsTrash });
  const freed = was - measure(subject);
  if (freed > 0) return { subject, before, freedBytes: freed };
  Object.assign(subject, before);
  return undefined;
}

function counter(home: Goal, sources: ReadonlyMap<string, Goal>): (step: Step) => void {
  return (step) => {
    for (const goal of goalsOf(step, home, sources)) goal.freedBytes += step.freedBytes;
  };
}

function goalsOf({ subject }: Step, home: Goal, sources: ReadonlyMap<string, Goal>): readonly Goal[] {
  const source = sources.get(sourceOf(subject) ?? '');
  return source === undefined ? [home] : [home, source];
}

function giveBack(steps: readonly Step[], goals: (step: Step) => readonly Goal[]): void {
  const final = new Set<Subject>();
  for (const step of steps.toReversed()) {
    const spare = goals(step).every(({ neededBytes, freedBytes: freed }) => {
      return neededBytes === 0 || freed - step.freedBytes >= neededBytes;
    });
    if (!spare || final.has(step.subject)) {
      final.add(step.subject);
      continue;
    }
    Object.assign(step.subject, step.before);
    for (const goal of goals(step)) goal.freedBytes -= step.freedBytes;
  }
}

function missingBytes({ neededBytes, freedBytes: freed }: Goal): number {
  return neededBytes - freed;
}

/** By what keeps them, the bytes that are still there. */
function shortfall(goal: Goal, { others, lineages, context }: Judged, { live, onDisk }: Measures): Shortfall {
  const { source } = goal;
  const heldBytes: Partial<Record<KeepReason, number>> = {};
  for (const subject of [...others, ...lineages]) {
    const bytes = source === undefined ? onDisk(subject) : live(subject);
    if (bytes === 0 || (source !== undefined && sourceOf(subject) !== source)) continue;
    const reason = holderOf(subject, context.activityUnknown);
    heldBytes[reason] = (heldBytes[reason] ?? 0) + bytes;
  }
  return { ...(source !== undefined && { source }), bytes: missingBytes(goal), heldBytes };
}

function holderOf(subject: Subject, activityUnknown: boolean): KeepReason {
  const { rule } = subject;
  const held = rule.action === 'keep' && rule.reason !== 'not-expired';
  if (held) return rule.reason;
  if (rule.action !== 'keep') return 'in-grace';
  return activityUnknown ? 'doubt' : 'keep-last';
}

function sourceOf(subject: Subject): string | undefined {
  if ('newest' in subject) return subject.newest.source;
  return subject.item.kind === 'archive' ? subject.item.source : undefined;
}

function lowWaterOf({ lowWater }: DiskRules): number {
  return lowWater > 0 && lowWater <= 1 ? lowWater : 1;
}
