import { randomUUID } from 'node:crypto';
import { isatty } from 'node:tty';
import { firstSignal } from '../../core/first-signal.ts';
import type { Verdict } from '../../core/gateway/gateway.ts';
import { SPENT_COUNTERS } from '../../core/gateway/limits.ts';
import { bytesWriter, type WriteBytes } from '../../platform/files/write-bytes.ts';
import { atExit } from '../../platform/machine/at-exit.ts';
import { signalGroup } from '../../platform/machine/process-group.ts';
import { currentProcess } from '../../platform/machine/process-identity.ts';
import type { ReadRun } from '../readers/agent-reader.ts';
import { factsOf } from '../verdict-of.ts';
import type { AdviceFile } from './advice-file.ts';
import { createAdviser } from './adviser.ts';
import type { Child } from './child.ts';
import { endProcesses } from './end-processes.ts';
import type { GraceBudget } from './grace-budget.ts';
import { createOutputRecorder } from './output/output-recorder.ts';
import { type ChildPipe, readPipes } from './output/read-pipes.ts';
import type { OutputChunk, RunSink } from './output/run-sink.ts';
import { seen, showing, type Taker, takeEvents, takeOutput, takeOutputWithEvents } from './output/takers.ts';
import { createDesk, type RunDesk } from './run-desk.ts';
import type { RunRecord, RunRecords } from './run-record.ts';
import { exitStatus, type RunCounts, type RunResult } from './run-result.ts';
import { startChild } from './start-child.ts';
import { type RunGuard, startGuard } from './start-guard.ts';
import { createStopper, type Stopper } from './stopper.ts';
import type { RunTerminal } from './terminal/own-terminal.ts';
import { startInTerminal } from './terminal/start-in-terminal.ts';
import { createTurns, type Turns } from './turns.ts';

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sessionId: string;
  readonly sink: RunSink;
  readonly records: RunRecords;
  /** How long the command may take to end after it was asked to. */
  readonly stopGraceMs?: number;
  /** Where the agent reads what it is advised. */
  readonly advice?: AdviceFile | undefined;
  /** What it may use meanwhile. Then it is killed at once, with everything it started. */
  readonly grace?: GraceBudget;
  /** Whether any line of the output may be an event. Otherwise it must bear the nonce that only the agent was given. */
  readonly eventsOnStdout?: boolean | undefined;
  /** Output beyond this is shown, and of it only the end is recorded. */
  readonly maxRecordedBytes?: number;
  /** Stops the run politely when aborted. */
  readonly signal?: AbortSignal;
  /** Stops the run as a verdict does when aborted; its reason is the sentence to tell. */
  readonly stopSignal?: AbortSignal | undefined;
  /** Kills the run at once when aborted. */
  readonly killSignal?: AbortSignal;
  readonly io?: RunIo;
  /** Where the agent writes what it uses: kept on record, so that whoever comes after a crash reads it. */
  readonly reads?: ReadRun | undefined;
  /** Sees the standard output pass by. */
  readonly printed?: ((piece: Buffer) => void) | undefined;
}

/** Open files that the run uses. Output is shown on none where none is given; the input is empty unless inherited. */
export interface RunIo {
  readonly stdin?: 'inherit' | 'ignore';
  readonly stdout?: number;
  readonly stderr?: number;
  /** Gives the agent a terminal, which is shown on this one. Standard error stays apart where `stderr` is no terminal. */
  readonly terminal?: RunTerminal | undefined;
}

const STOP_GRACE_MS = 10_000;
/** How long a run may be over a limit before anybody notices, when it says nothing. */
const CHECK_MS = 1000;
/** How much may be printed before that is noticed. */
const CHECK_BYTES = 4 * 1024 * 1024;
/** A screen is drawn again and again: its output is put together into fewer rows. */
const TERMINAL_PACE = { windowMs: 1000, headBytes: 128 * 1024 };
const DONE = Promise.resolve();
const SAID_AT_END: ReadonlySet<string> = new Set([...SPENT_COUNTERS, 'no-price']);
const GRACE_USED_UP = 'The run went on after it was asked to end.';
const MAX_RECORDED_BYTES = 8 * 1024 * 1024;

/**
 * Runs a command as a supervised session: shows and records its output, hands its events to the sink, stops it when the sink
 * or a person says so, and leaves no process of it behind. Resolves however the command ends; rejects when it
 * could not be started or recorded.
 */
export async function superviseRun(options: RunOptions): Promise<RunResult> {
  const { sessionId, records, io, signal, advice } = options;
  signal?.throwIfAborted();
  const record: RunRecord = {
    runId: randomUUID(),
    sessionId,
    supervisor: currentProcess(),
    ...(advice && { advice: advice.path }),
    ...(options.reads && { reads: options.reads }),
  };
  await records.save(record);
  const nonce = randomUUID();
  const guard = startGuard(io?.terminal);
  let child: Child;
  try {
    child = await startAgent(options, { runId: record.runId, nonce });
  } catch (error) {
    guard.dismiss();
    await records.remove(record.runId);
    throw error;
  }
  guard.watch(child.identity, record.runId);
  guard.remember({ mode: child.terminal?.mode });
  const stopper = createStopper(child.identity.pid, {
    graceMs: options.stopGraceMs ?? STOP_GRACE_MS,
    onAsked: () => options.grace?.begin(),
  });
  const turns = createTurns(() => stopper.stop({ kind: 'stopped', why: 'The run could not be recorded.' }));
  const saved = turns.inTurn(() => records.save({ ...record, child: child.identity }));
  const result = await attend(child, { ...options, runId: record.runId, nonce, stopper, turns, guard });
  guard.dismiss();
  await saved;
  // What could not be ended stays on record for the next start.
  if (result.stats.leftPids.length === 0) await records.remove(record.runId);
  turns.throwIfFailed();
  return result;
}

/** With pipes, or in a terminal. */
function startAgent(options: RunOptions, own: { readonly runId: string; readonly nonce: string }): Promise<Child> {
  const { io, advice } = options;
  const stdin = io?.stdin ?? 'ignore';
  const start = { ...options, ...own, stdin, advice: advice?.path };
  if (io?.terminal === undefined) return startChild(start);
  const hasOwnErrors = io.stderr === undefined || !isatty(io.stderr);
  return startInTerminal({ ...start, terminal: io.terminal, hasOwnErrors, tell: teller(io.stderr) });
}

interface AttendOptions extends RunOptions {
  readonly runId: string;
  readonly nonce: string;
  readonly stopper: Stopper;
  readonly turns: Turns;
  readonly guard: RunGuard;
}

/** Stays with the child until nothing of it is left. */
async function attend(child: Child, options: AttendOptions): Promise<RunResult> {
  const { runId, stopper, turns, killSignal, sink, grace } = options;
  const counts: RunCounts = { events: 0, refusedLines: 0, problems: [], outputBytes: 0, omittedBytes: 0 };
  const { tell, tellHeld } = heldTeller(teller(options.io?.stderr), child.terminal !== undefined);
  const overspent = new AbortController();
  const stop = (why: string): void => stopper.stop({ kind: 'stopped', why });
  const kill = (): void => {
    void tell('It went on after it was asked to end, and used up its grace. It is killed.');
    stopper.kill({ kind: 'stopped', why: GRACE_USED_UP });
    overspent.abort();
  };
  const pass = createAdviser({
    // What is held back until the end of the run is left out where the end says it by itself.
    tell: (verdict) => (child.terminal !== undefined && isSaidAtEnd(verdict) ? DONE : tell(factsOf(verdict))),
    advise: (verdict) => options.advice?.add(verdict),
  });
  const nonce = options.eventsOnStdout === true ? undefined : options.nonce;
  const desk = createDesk({ sink, counts, stop, kill, turns, grace, pass, nonce });
  const reading = readPipes(childPipes(child, { ...options, desk, counts }), turns.fail);
  const watching = watch(options, () => {
    desk.check();
    if (child.terminal) options.guard.remember({ back: child.terminal.back() });
  });
  // A second Ctrl-C exits at once: what nobody watches must not go on.
  const forgetExit = atExit(() => void signalGroup(child.identity.pid, 'SIGKILL'));

  const { code, signal } = await child.exited;
  const { cause, ...rest } = stopper.exited();
  // What the command left behind has the same budget, and is watched until it is gone.
  grace?.begin();
  using hurry = firstSignal(overspent.signal, killSignal);
  const ended = await endProcesses({ runId, group: child.identity.pid, ...rest, killSignal: hurry.signal });
  watching.abort();
  forgetExit();
  // No verdict can stop anything any more: what is still in the pipes is recorded together.
  turns.hurry();
  child.terminal?.release();
  await reading.drain({ graceMs: options.stopGraceMs ?? STOP_GRACE_MS, killSignal });
  child.terminal?.restore();
  await tellHeld();
  const exit = { cause, ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) };
  const stats = { ...counts, endedProcesses: ended.count, leftPids: ended.leftPids };
  return { ...exit, exitStatus: exitStatus(exit), stats };
}

interface PipeOptions extends Pick<RunOptions, 'io' | 'maxRecordedBytes' | 'printed'> {
  readonly desk: RunDesk;
  readonly counts: RunCounts;
}

function childPipes(child: Child, { desk, counts, io, maxRecordedBytes, printed }: PipeOptions): readonly ChildPipe[] {
  let checks = 0;
  const { terminal, eventsFd, stdoutFd, stderrFd } = child;
  const allowance = { leftBytes: maxRecordedBytes ?? MAX_RECORDED_BYTES };
  const record = (stream: OutputChunk['stream']) => {
    const pace = terminal === undefined || stream === 'stderr' ? undefined : TERMINAL_PACE;
    return createOutputRecorder({ stream, allowance, deliver: desk.output, ...pace });
  };
  const show = (fd: number | undefined, taker: Taker): Taker => {
    const write = shownOn(fd);
    return showing((bytes) => {
      counts.outputBytes += bytes.length;
      // Between two looks by the clock a flood may be over.
      if (Math.floor(counts.outputBytes / CHECK_BYTES) > checks) desk.check();
      checks = Math.floor(counts.outputBytes / CHECK_BYTES);
      if (fd === io?.stdout) terminal?.see(bytes);
      return write(bytes);
    }, taker);
  };
  return [
    { fd: eventsFd, taker: takeEvents(desk) },
    { fd: stdoutFd, taker: show(io?.stdout, seen(printed, takeOutputWithEvents(record('stdout'), desk))) },
    { fd: stderrFd, taker: show(io?.stderr, takeOutput(record('stderr'))) },
  ].flatMap(({ fd, taker }) => (fd === undefined ? [] : [{ fd, taker }]));
}

type Tell = (text: string) => Promise<void>;

/** Says something to the person who watches. That nobody can be told any more is no reason to end a run. */
function teller(stderr: number | undefined): Tell {
  const write = shownOn(stderr);
  return async (text) => {
    try {
      await write(Buffer.from(`coppice: ${text}\n`));
    } catch {
      // The verdict is recorded all the same.
    }
  };
}

/** On a screen that belongs to an agent, what is said meanwhile would be lost or in the way: it is said when the agent is gone. */
function heldTeller(tell: Tell, isHeld: boolean): { readonly tell: Tell; readonly tellHeld: () => Promise<void> } {
  const held: string[] = [];
  const hold = async (text: string): Promise<void> => void held.push(text);
  const tellHeld = async (): Promise<void> => {
    for (const text of held.splice(0)) await tell(text);
  };
  return { tell: isHeld ? hold : tell, tellHeld };
}

/** How much is used of a budget, and which model has no price, is part of what is told of every run that has ended. */
function isSaidAtEnd({ causes }: Verdict): boolean {
  return causes.every(({ rule }) => SAID_AT_END.has(rule));
}

function shownOn(fd: number | undefined): WriteBytes {
  return fd === undefined ? () => undefined : bytesWriter(fd);
}

/** Stops the run when a limit is reached or somebody wants it to. Watching ends when what is returned is aborted. */
function watch({ stopper, signal, stopSignal, killSignal }: AttendOptions, look: () => void): AbortController {
  const watching = new AbortController();
  const when = (aborted: AbortSignal | undefined, act: () => void): void => {
    if (aborted?.aborted) act();
    else aborted?.addEventListener('abort', act, { once: true, signal: watching.signal });
  };
  when(signal, () => stopper.stop({ kind: 'interrupted' }));
  when(stopSignal, () => stopper.stop({ kind: 'stopped', why: String(stopSignal?.reason) }));
  when(killSignal, () => stopper.kill({ kind: 'interrupted' }));
  const checking = setInterval(look, CHECK_MS);
  watching.signal.addEventListener('abort', () => clearInterval(checking), { once: true });
  return watching;
}
