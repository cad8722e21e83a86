import type { Verdict } from '../../core/gateway/gateway.ts';
import { forbids } from '../strictest.ts';
import { factsOf } from '../verdict-of.ts';
import type { GraceBudget } from './grace-budget.ts';
import type { SplitLine } from './output/line-splitter.ts';
import { createReportBound } from './output/report-bound.ts';
import { type ReadEvent, type RunEvent, readRunEvent } from './output/run-event.ts';
import type { OutputChunk, RunSink } from './output/run-sink.ts';
import type { RunCounts } from './run-result.ts';
import type { Turns } from './turns.ts';

/** Hands what a run produces to its sink and acts on the verdicts. Nothing here rejects: what the sink throws stops the run. */
export interface RunDesk extends Pick<Turns, 'each'> {
  /** A line of the event channel. */
  readonly line: (line: SplitLine) => Promise<void>;
  /** A line of the output that may be an event. Undefined when it is plain output. */
  readonly lineOfOutput: (line: Buffer) => Promise<void> | undefined;
  readonly output: (chunks: readonly OutputChunk[]) => Promise<void>;
  /** Asks the sink how things are, whatever the run says or does not say. */
  readonly check: () => void;
}

export interface DeskOptions {
  readonly sink: RunSink;
  readonly counts: RunCounts;
  /** In which everything is done. What fails stops the run, because its limits can no longer be kept. */
  readonly turns: Turns;
  readonly stop: (why: string) => void;
  /** Asked to end, the run has used what it may meanwhile. */
  readonly kill: () => void;
  readonly grace?: GraceBudget | undefined;
  /** Passes on what a verdict says, to the person and to the agent. */
  readonly pass: (verdict: Verdict) => void;
  /** What a line of the output must bear to be an event. Absent where every line may be one. */
  readonly nonce?: string | undefined;
}

/** Of lines that are not valid, this many are described. */
const MAX_PROBLEMS = 10;

export function createDesk({ sink, counts, turns, stop, kill, grace, pass, nonce }: DeskOptions): RunDesk {
  let checkedBytes = 0;
  let isKilled = false;
  const bounded = createReportBound();

  const watchGrace = async (): Promise<void> => {
    const isUsedUp = await grace?.usedUp();
    if (isKilled || isUsedUp !== true) return;
    isKilled = true;
    kill();
  };
  const heed = async (verdict: Verdict): Promise<void> => {
    await watchGrace();
    pass(verdict);
    if (forbids(verdict)) stop(factsOf(verdict));
  };
  const take = (event: RunEvent): Promise<void> => {
    counts.events += 1;
    return turns.inTurn(async () => {
      // What was said into a session that is full beyond its grace is not kept. What was used is counted: it was spent.
      if (isKilled && (event.kind === 'message' || event.kind === 'note')) refuse('came after the run was killed');
      else await heed(await sink.event(event));
    });
  };
  const look = async (): Promise<void> => {
    const printedBytes = counts.outputBytes - checkedBytes;
    checkedBytes = counts.outputBytes;
    await heed(await sink.check({ printedBytes }));
  };
  const refuse = (problem: string): void => {
    counts.refusedLines += 1;
    if (counts.problems.length < MAX_PROBLEMS) counts.problems.push(`An event line ${problem}.`);
  };

  return {
    each: turns.each,
    async line({ bytes, cut }) {
      const text = bytes.toString();
      if (text.trim() === '') return;
      const read: ReadEvent = cut ? TOO_LONG : bounded(readRunEvent(text));
      if (read.status === 'event') await take(read.event);
      else refuse(read.problem);
    },
    lineOfOutput(line) {
      const read = bounded(readRunEvent(line.toString(), nonce));
      if (read.status === 'refused') refuse(read.problem);
      return read.status === 'event' ? take(read.event) : undefined;
    },
    output: (chunks) =>
      turns.inTurn(() =>
        turns.each(chunks, async (chunk) => {
          counts.omittedBytes += chunk.omittedBytes;
          await heed(await sink.output(chunk));
        }),
      ),
    check: unlessBusy(look, turns.fail),
  };
}

/** What is asked for while it is still being done is not done twice. */
function unlessBusy(work: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let isBusy = false;
  return () => {
    if (isBusy) return;
    isBusy = true;
    void work()
      .catch(failed)
      .finally(() => {
        isBusy = false;
      });
  };
}

const TOO_LONG: ReadEvent = { status: 'refused', problem: 'is longer than 1 MB and was cut off' };
