import { errorText } from '../../core/error-text.ts';
import type { CronBook, CronOutcome } from '../../core/gateway/cron-book.ts';
import type { DeliveryBook } from '../../core/gateway/delivery-book.ts';
import { type Clock, type EpochMs, SECOND_MS } from '../../core/time.ts';
import { type CronJob, cronSessionId } from './cron-job.ts';
import { type DueSlots, dueSlots } from './due-slots.ts';

/** Runs of a job that are remembered; older ones are in the ledger by their sessions. */
export const RUNS_KEPT = 50;

export interface CronParts {
  readonly book: CronBook;
  readonly deliveries: DeliveryBook;
  readonly clock: Clock;
  /** Runs a job as the session with this id, to its end. */
  readonly start: (job: CronJob, sessionId: string) => Promise<JobEnd>;
  /** Told of each run as it ends. */
  readonly onEnded?: (run: EndedRun) => void;
  /** Before this nothing was due: the moment the scheduler began. */
  readonly since: EpochMs;
  /** Up to where this process has dealt with each job. */
  readonly dealtWith: Map<string, EpochMs>;
  /** How many runs may go on at once. */
  readonly maxParallel: number;
}

/** How a run ended. */
export interface JobEnd {
  readonly outcome: Extract<CronOutcome, 'done' | 'failed' | 'stopped'>;
  /** In a sentence; of a run that is done only what else is to be said of it. */
  readonly why?: string;
}

export interface EndedRun extends JobEnd {
  readonly sessionId: string;
}

export interface CronTick {
  readonly started: readonly string[];
  /** All runs of this tick, ended or not; never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Starts whatever is due, what has waited longest first. Several processes may do so at once: a slot is run by the one that claims
 * it. What the output must reach is promised before a run counts as finished, so a crash in between delivers it later.
 */
export async function runDueJobs(parts: CronParts, jobs: readonly CronJob[], running: Set<string>): Promise<CronTick> {
  const started: string[] = [];
  const ended: Promise<unknown>[] = [];
  for (const { job, due } of await dueJobs(parts, jobs)) {
    if (running.size >= parts.maxParallel) break;
    const slot = await takeSlot(parts, job, due);
    if (slot === undefined) continue;
    started.push(slot.sessionId);
    ended.push(carryOut(parts, { job, slot }, running));
  }
  return { started, ended: Promise.allSettled(ended).then(() => undefined) };
}

/** Runs a job now, whatever its schedule says, to its end. Undefined when its slot of this second is taken. */
export async function runJobNow(parts: CronParts, job: CronJob, running: Set<string>): Promise<EndedRun | undefined> {
  const dueAt = Math.floor(parts.clock.now() / SECOND_MS) * SECOND_MS;
  const slot = { job: job.name, dueAt, sessionId: cronSessionId(job.name, dueAt) };
  return (await parts.book.claim(slot)) ? carryOut(parts, { job, slot }, running) : undefined;
}

interface Slot {
  readonly job: string;
  readonly dueAt: EpochMs;
  readonly sessionId: string;
}

interface DueJob {
  readonly job: CronJob;
  readonly due: DueSlots;
}

/** By the oldest slot that has come: in any other order, jobs that are always due would keep the last ones from running. */
async function dueJobs(parts: CronParts, jobs: readonly CronJob[]): Promise<readonly DueJob[]> {
  const now = parts.clock.now();
  const all: DueJob[] = [];
  for (const job of jobs) all.push({ job, due: dueSlots(job, { since: await sinceOf(parts, job, now), now }) });
  const oldest = ({ due: { run, missed } }: DueJob): EpochMs => missed[0] ?? run ?? Infinity;
  return all.filter((due) => oldest(due) < Infinity).toSorted((a, b) => oldest(a) - oldest(b));
}

/**
 * From when on the slots of a job are due. What lies in the future does not count: a clock that was once wrong must not silence a
 * job, nor, when runs of that time fill the memory of the book, run a slot again.
 */
async function sinceOf({ book, since, dealtWith }: CronParts, job: CronJob, now: EpochMs): Promise<EpochMs> {
  const runs = (await book.runs(job.name, RUNS_KEPT)).map(({ dueAt }) => dueAt);
  const known = [...runs, job.addedAt ?? since, dealtWith.get(job.name) ?? -Infinity];
  const last = Math.max(...known.filter((at) => at <= now));
  const begin = last === -Infinity ? now : last;
  dealtWith.set(job.name, begin);
  return begin;
}

async function takeSlot(
  { book, dealtWith }: CronParts,
  job: CronJob,
  { run, missed }: DueSlots,
): Promise<Slot | undefined> {
  // A gap may hold thousands of slots; the newest of them says that there was one.
  for (const dueAt of missed.slice(-1)) await passOver(book, job, dueAt);
  if (run === undefined) return undefined;
  const busy = (await book.unfinished()).some((other) => other.job === job.name);
  if (busy && job.overlap === 'skip') {
    await passOver(book, job, run);
    return undefined;
  }
  dealtWith.set(job.name, run);
  const slot = { job: job.name, dueAt: run, sessionId: cronSessionId(job.name, run) };
  return (await book.claim(slot)) ? slot : undefined;
}

async function passOver(book: CronBook, job: CronJob, dueAt: EpochMs): Promise<void> {
  const slot = { job: job.name, dueAt, sessionId: cronSessionId(job.name, dueAt) };
  if (await book.claim(slot)) await book.finish(slot, 'missed');
}

async function carryOut(
  parts: CronParts,
  { job, slot }: { readonly job: CronJob; readonly slot: Slot },
  running: Set<string>,
): Promise<EndedRun> {
  const { sessionId } = slot;
  running.add(sessionId);
  try {
    const end = await parts.start(job, sessionId).catch(notStarted);
    await promiseOutput(parts.deliveries, job, sessionId);
    await parts.book.finish(slot, end.outcome);
    await parts.book.trim(job.name, RUNS_KEPT);
    const run = { sessionId, ...end };
    parts.onEnded?.(run);
    return run;
  } finally {
    running.delete(sessionId);
  }
}

function notStarted(error: unknown): JobEnd {
  return { outcome: 'failed', why: errorText(error) };
}

/** Puts on record where the output of a run must go. Doing so again changes nothing. */
export async function promiseOutput(deliveries: DeliveryBook, job: CronJob, sessionId: string): Promise<void> {
  for (const [index, target] of job.deliver.entries()) {
    await deliveries.promise({
      id: `${sessionId}:${index}`,
      sessionId,
      job: job.name,
      target: JSON.stringify(target),
    });
  }
}
