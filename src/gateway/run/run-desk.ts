import type { Verdict } from '../../core/gateway.ts';
import { forbids } from '../strictest.ts';
import { factsOf } from '../verdict-of.ts';
import type { SplitLine } from './line-splitter.ts';
import { type ReadEvent, type RunEvent, readRunEvent } from './run-event.ts';
import type { RunCounts } from './run-result.ts';
import type { OutputChunk, RunSink } from './run-sink.ts';
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
  /** Tells the person who watches. */
  readonly tell: (text: string) => Promise<void>;
}

/** Of lines that are not valid, this many are described. */
const MAX_PROBLEMS = 10;

export function createDesk({ sink, counts, turns, stop, tell }: DeskOptions): RunDesk {
  const told = new Set<string>();
  let checkedBytes = 0;

  const heed = (verdict: Verdict): void => {
    const { kind, causes } = verdict;
    if (forbids(verdict)) stop(factsOf(verdict));
    if (kind !== 'warn' && kind !== 'nudge') return;
    const key = [kind, ...causes.map(({ rule, scope }) => `${rule} ${scope}`)].join();
    if (!told.has(key)) void tell(factsOf(verdict));
    told.add(key);
  };
  const take = (event: RunEvent): Promise<void> => {
    counts.events += 1;
    return turns.inTurn(async () => heed(await sink.event(event)));
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
      const read: ReadEvent = cut ? TOO_LONG : readRunEvent(text);
      if (read.status === 'event') await take(read.event);
      else refuse(read.problem);
    },
    lineOfOutput(line) {
      const read = readRunEvent(line.toString());
      if (read.status === 'refused') refuse(read.problem);
      return read.status === 'event' ? take(read.event) : undefined;
    },
    output: (chunks) =>
      turns.inTurn(() =>
        turns.each(chunks, async (chunk) => {
          counts.omittedBytes += chunk.omittedBytes;
          heed(await sink.output(chunk));
        }),
      ),
    check() {
      const printedBytes = counts.outputBytes - checkedBytes;
      checkedBytes = counts.outputBytes;
      try {
        heed(sink.check({ printedBytes }));
      } catch (error) {
        turns.fail(error);
      }
    },
  };
}

const TOO_LONG: ReadEvent = { status: 'refused', problem: 'is longer than 1 MB and was cut off' };
