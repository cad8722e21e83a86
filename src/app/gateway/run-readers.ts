import type { Verdict } from '../../core/gateway/gateway.ts';
import type { Clock } from '../../core/time.ts';
import { agentName } from '../../gateway/agent-name.ts';
import { type ReadRun, readRunOf } from '../../gateway/readers/agent-reader.ts';
import { type PrintedUsage, printedUsageOf } from '../../gateway/readers/printed-usage.ts';
import type { FoundCall } from '../../gateway/readers/told-line.ts';
import { startUsageReader, type UsageReader } from '../../gateway/readers/usage-reader.ts';
import { createTurns } from '../../gateway/run/turns.ts';
import { forbids } from '../../gateway/strictest.ts';
import type { Turn } from '../../gateway/turn.ts';
import { factsOf } from '../../gateway/verdict-of.ts';
import type { UsageWays } from './usage-ways.ts';

/** How often files are looked at. A call is counted so much later than it was made. */
const LOOK_MS = 500;

export interface ReadableAgent {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Whether an agent is known to tell what it uses, in files of its own or in what it was asked to print. */
export function isReadable({ command, args, cwd, env }: ReadableAgent): boolean {
  const start = { command, args, cwd: cwd ?? process.cwd(), env: env ?? process.env, now: 0 };
  return readRunOf(start) !== undefined || printedUsageOf(agentName(command), args) !== undefined;
}

export interface RunReaders extends Disposable {
  /** What whoever comes after a crash has to read. */
  readonly reads: ReadRun | undefined;
  /** Aborted when what was read is over a limit. */
  readonly stopSignal: AbortSignal;
  /** Sees the standard output pass by. */
  readonly printed: ((piece: Buffer) => void) | undefined;
  /** Reads the rest, when the agent has ended. Throws what went wrong. */
  finish(): Promise<void>;
}

export interface RunReadersOptions {
  readonly turn: Turn;
  readonly clock: Clock;
  readonly ways: UsageWays;
  readonly sessionId: string;
  readonly heed: (verdict: Verdict) => Verdict;
}

/** Reads what a run says of its own usage, from before it starts until it has ended. */
export async function startRunReaders(run: ReadableAgent, options: RunReadersOptions): Promise<RunReaders> {
  const { turn, clock, ways, sessionId, heed } = options;
  const { command, args, cwd = process.cwd(), env = process.env } = run;
  const stopping = new AbortController();
  const reads = readRunOf({ command, args, cwd, env, now: clock.now() });
  const printed = printedUsageOf(agentName(command), args);
  const take = async ({ id, model, tokens }: FoundCall): Promise<void> => {
    if (!ways.take('files')) return;
    const verdict = heed(await turn.found(id, { model, ...tokens }));
    if (forbids(verdict)) stopping.abort(factsOf(verdict));
  };
  const files = reads && (await startUsageReader({ run: reads, take }));
  // A limit that can no longer be kept ends the run.
  const turns = createTurns(() => stopping.abort('What the agent used could not be counted.'));
  let isLooking = false;
  const look = async (): Promise<void> => {
    isLooking = true;
    await turns.inTurn(async () => files?.look());
    isLooking = false;
  };
  const timer = setInterval(() => void (isLooking || look()), LOOK_MS);
  const agent = agentName(command);
  const takePrinted = (piece: Buffer): void => {
    const calls = printed?.calls(piece) ?? [];
    for (const call of calls) void turns.inTurn(() => take({ ...call, id: `${agent}:${call.id}` }));
  };
  return {
    reads,
    stopSignal: stopping.signal,
    printed: printed && takePrinted,
    async finish() {
      clearInterval(timer);
      await turns.inTurn(() => lastLook({ files, printed, ways, take, sessionId }));
      turns.throwIfFailed();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

interface LastLook {
  readonly files: UsageReader | undefined;
  readonly printed: PrintedUsage | undefined;
  readonly ways: UsageWays;
  readonly take: (call: FoundCall) => Promise<void>;
  readonly sessionId: string;
}

/** A sum that was printed counts where no call was told of by itself. */
async function lastLook({ files, printed, ways, take, sessionId }: LastLook): Promise<void> {
  await files?.finish();
  if (ways.counting() !== undefined) return;
  for (const { model, tokens } of printed?.totals() ?? []) {
    await take({ id: `printed:${sessionId}:${model}`, at: 0, model, tokens });
  }
}
