import { groupsOf } from '../core/retention/groups-of.ts';
import { goesForGood, isRemoval, losesWayBack, type Plan, type Removal } from '../core/retention/plan.ts';
import type { ItemOutcome, Journal, Outcome, RunItem } from '../core/retention/run.ts';
import type { Clock } from '../core/time.ts';
import { breathe } from './breathe.ts';
import { purgeItems, purgeRun } from './purge-run.ts';
import type { RunParts } from './run-parts.ts';
import { NOT_REACHED, stateAfter } from './state-after.ts';

export interface ApplyParts extends RunParts {
  readonly clock: Clock;
}

export interface ApplyOptions {
  readonly runId: string;
  readonly trashGraceMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Carries out a plan in groups, journal first. What fails or has changed is an outcome; the rest goes on. When the signal
 * says stop, the group at hand is finished and the run stays resumable.
 */
export async function* applyPlan(parts: ApplyParts, plan: Plan, options: ApplyOptions): AsyncGenerator<Outcome> {
  const { journal, clock } = parts;
  const startedAt = clock.now();
  const { runId: id, trashGraceMs } = options;
  await journal.begin({ id, request: plan.request, startedAt, expiresAt: startedAt + trashGraceMs });
  for (const items of groupsOf(plan.decisions.filter(isRemoval).map(toItem))) {
    await breathe(options.signal);
    // Intent on disk, then the step, then what became of each.
    await journal.intend(id, items);
    yield* finishIntended(parts, id, items);
  }
  await journal.finish(id, clock.now());
}

/** Carries out intended items. Also what recovery does with those that a crash left behind. */
export async function* finishIntended(
  parts: ApplyParts,
  runId: string,
  items: readonly RunItem[],
): AsyncGenerator<Outcome> {
  const trashRuns = items.filter(({ item }) => item.kind === 'trash');
  const others = items.filter(({ item }) => item.kind !== 'trash');
  const outcomes: ItemOutcome[] = others.length === 0 ? [] : [...(await parts.driver.discard(runId, others))];
  for (const item of trashRuns) outcomes.push(await emptyRun(parts, item));
  await parts.journal.mark(
    runId,
    outcomes.flatMap((outcome) => markOf(outcome, items)),
  );
  const gone = items.filter((item) => item.skipsTrash && isDone(outcomes, item) && stateAfter(item) === 'trashed');
  const purged = gone.length > 0 ? await purgeItems(parts, runId, gone) : [];
  const freed = freedByNumber([...outcomes, ...purged]);
  for (const item of items) yield outcomeOf(item, outcomes, freed);
}

/** A decision about trash is about the run that filled it: all of its items go for good. */
async function emptyRun(parts: ApplyParts, { number, item }: RunItem): Promise<ItemOutcome> {
  const outcomes = await purgeRun(parts, item.id);
  const left = outcomes.find(({ status }) => status === 'skipped');
  if (left !== undefined) return { ...left, number };
  const freedBytes = outcomes.reduce((sum, each) => sum + freedBy(each), 0);
  return { number, status: 'done', freedBytes };
}

function toItem(removal: Removal, index: number): RunItem {
  const { item, action, reason, fingerprint, sizeBytes } = removal;
  const skipsTrash = goesForGood(removal);
  return { number: index + 1, item, action, reason, fingerprint, sizeBytes, skipsTrash, state: 'intended' };
}

type Mark = Parameters<Journal['mark']>[1][number];

function markOf(outcome: ItemOutcome, items: readonly RunItem[]): readonly Mark[] {
  const { number, status } = outcome;
  if (status === 'unfinished') return [];
  if (status === 'skipped') return [{ number, state: status, detail: outcome.detail }];
  const item = items.find((each) => each.number === number);
  return [{ number, state: item === undefined ? 'trashed' : stateAfter(item) }];
}

function isDone(outcomes: readonly ItemOutcome[], { number }: RunItem): boolean {
  return outcomes.some((outcome) => outcome.number === number && outcome.status === 'done');
}

function freedByNumber(outcomes: readonly ItemOutcome[]): ReadonlyMap<number, number> {
  const freed = new Map<number, number>();
  for (const each of outcomes) freed.set(each.number, (freed.get(each.number) ?? 0) + freedBy(each));
  return freed;
}

function freedBy(outcome: ItemOutcome): number {
  return outcome.status === 'done' ? (outcome.freedBytes ?? 0) : 0;
}

function outcomeOf(
  { number, item, action, sizeBytes, ...how }: RunItem,
  outcomes: readonly ItemOutcome[],
  freed: ReadonlyMap<number, number>,
): Outcome {
  const outcome = outcomes.find((candidate) => candidate.number === number);
  if (outcome?.status === 'done')
    return {
      item,
      action,
      status: 'done',
      sizeBytes,
      freedBytes: freed.get(number) ?? 0,
      ...(losesWayBack({ action, ...how }) && { forGood: true }),
    };
  return { item, action, status: 'skipped', detail: outcome?.detail ?? NOT_REACHED, sizeBytes };
}
