import { errorText } from '../../core/error-text.ts';
import { type Amounts, OK, type Verdict } from '../../core/gateway.ts';
import { contentBytes, type NewMessage, outputMessage } from '../../core/message.ts';
import type { SessionFacts } from '../../core/session.ts';
import { MINUTE_MS } from '../../core/time.ts';
import type { SpendRule } from '../../gateway/check-spend.ts';
import { closeOrphanRuns } from '../../gateway/run/close-orphan-runs.ts';
import type { RunEvent } from '../../gateway/run/run-event.ts';
import type { RunRecords } from '../../gateway/run/run-record.ts';
import type { RunResult } from '../../gateway/run/run-result.ts';
import type { OutputChunk, RunSink } from '../../gateway/run/run-sink.ts';
import { type RunIo, superviseRun } from '../../gateway/run/supervise-run.ts';
import { stopReason } from '../../gateway/stop-reason.ts';
import { forbids } from '../../gateway/strictest.ts';
import type { LiveRules, Turn } from '../../gateway/turn.ts';
import { claimedSessions } from '../../homes/native/active-sessions.ts';
import type { HomeParts } from '../home-parts.ts';
import type { Session } from '../sessions/session.ts';
import { sessionHandle } from '../sessions/session-handle.ts';
import type { LiveGateway } from './live-gateway.ts';
import { busySince, recordedRuns } from './recorded-runs.ts';

/** An agent to run, and what it may use. Limits given here win over the configured ones. */
export interface AgentRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where the session comes from; `run` when absent. */
  readonly source?: string;
  /** Goes on with the session that answers this key, and leaves it open for the next run. */
  readonly key?: string;
  /** The id of the session, when it is to have a certain one. */
  readonly sessionId?: string;
  readonly maxTokens?: number;
  readonly maxUsd?: number;
  readonly maxIterations?: number;
  readonly maxMinutes?: number;
  /** Stops it politely when aborted; `killSignal` at once. */
  readonly signal?: AbortSignal;
  readonly killSignal?: AbortSignal;
  readonly io?: RunIo;
}

export interface AgentRunResult extends RunResult {
  readonly session: SessionFacts;
  /** What the session has used, as budgets count it. */
  readonly used: Amounts;
}

export interface RunAgentParts extends HomeParts {
  readonly gateway: LiveGateway;
}

const STOP_GRACE_MS = 10_000;

/** Runs an agent as a session: its events and output are recorded as they come, its limits kept, its end written down. */
export async function runAgent(parts: RunAgentParts, run: AgentRun): Promise<AgentRunResult> {
  await closeOrphans(parts);
  const facts = await sessionFor(parts, run);
  const session = sessionHandle(parts, facts.id);
  const rules = parts.gateway.live.rulesFor(facts.source).live;
  const live = parts.gateway.live.follow(facts, withLimits(rules, run));
  using _background = parts.gateway.background(facts.id);
  await using turn = live.beginTurn();
  const { sink, stoppedBy } = createSink(session, turn);
  const { command, args, signal, killSignal, io } = run;
  const result = await superviseRun({
    command,
    args,
    cwd: run.cwd ?? process.cwd(),
    env: run.env ?? process.env,
    sessionId: facts.id,
    sink,
    records: recordsOf(parts),
    stopGraceMs: STOP_GRACE_MS,
    ...(signal && { signal }),
    ...(killSignal && { killSignal }),
    ...(io && { io }),
  }).catch(async (error: unknown) => {
    await closeFailed(parts, { session, run, error });
    throw error;
  });
  // The first verdict that ended the run is its cause, whatever came out of the pipes after it.
  const verdict = result.cause.kind === 'stopped' ? stoppedBy() : undefined;
  if (verdict !== undefined) await parts.store.end(facts.id, stopReason(verdict));
  await turn.end();
  await close(parts, { session, result, run });
  const after = await session.facts();
  parts.gateway.events.publish({ kind: 'run-ended', sessionId: facts.id, message: endSentence(result) });
  return { ...result, session: after, used: turn.used() };
}

async function sessionFor(parts: RunAgentParts, run: AgentRun): Promise<SessionFacts> {
  const { source = 'run', key, sessionId, cwd } = run;
  const workdir = cwd ?? process.cwd();
  if (key !== undefined) {
    await parts.gateway.resolve({ key, source, workdir });
    // Claims it: an agent may say nothing for long, and its session is in use all the same.
    return parts.store.routes.settle(key, () => ({ kind: 'keep' }));
  }
  return parts.store.create({ source, workdir, ...(sessionId !== undefined && { id: sessionId }) });
}

/** The limits of this run instead of the configured ones for the session; all others stay. */
function withLimits(rules: LiveRules, run: AgentRun): LiveRules {
  const wanted = {
    tokens: run.maxTokens,
    nanoUsd: run.maxUsd === undefined ? undefined : Math.round(run.maxUsd * 1e9),
    iterations: run.maxIterations,
    wallMs: run.maxMinutes === undefined ? undefined : run.maxMinutes * MINUTE_MS,
  };
  const own = Object.entries(wanted).flatMap(([counter, limit]): SpendRule[] =>
    limit === undefined
      ? []
      : [{ scope: 'session', counter: counter as SpendRule['counter'], limit, warnAt: limit * 0.8, onBreach: 'stop' }],
  );
  const replaced = new Set(own.map(({ counter }) => counter));
  const kept = rules.spend.filter(({ scope, counter }) => scope !== 'session' || !replaced.has(counter));
  return { ...rules, spend: [...own, ...kept] };
}

/** Where a run is recorded, and which verdict was the first to forbid that it goes on. */
function createSink(session: Session, turn: Turn): { sink: RunSink; stoppedBy: () => Verdict | undefined } {
  let first: Verdict | undefined;
  const heed = (verdict: Verdict): Verdict => {
    if (forbids(verdict)) first ??= verdict;
    return verdict;
  };
  const add = async (message: NewMessage): Promise<Verdict> => {
    await session.append(message);
    return turn.message({ bytes: contentBytes(message) });
  };
  const sink: RunSink = {
    event: async (event) => heed(await take(session, turn, { event, add })),
    output: async (chunk) => {
      await session.append(outputOf(chunk));
      return heed(turn.output());
    },
    check: (since) => heed(turn.check(since)),
  };
  return { sink, stoppedBy: () => first };
}

async function take(
  session: Session,
  turn: Turn,
  { event, add }: { event: RunEvent; add: (message: NewMessage) => Promise<Verdict> },
): Promise<Verdict> {
  switch (event.kind) {
    case 'message':
      return add(event.message);
    case 'usage':
      return turn.usage(
        event.cumulative === undefined ? event.usage : { ...event.usage, kind: 'cumulative', of: event.cumulative },
      );
    case 'tool': {
      const { name, ok, args } = event;
      turn.toolCall({ name, ...(args !== undefined && { args }) });
      return turn.toolResult({ name, ok });
    }
    case 'iteration':
      return turn.beforeIteration();
    case 'title':
      await session.rename(event.title);
      return OK;
    case 'note':
    default:
      return add({ role: 'system', content: event.text, metadata: { note: true } });
  }
}

function outputOf({ stream, text, omittedBytes }: OutputChunk): NewMessage {
  return outputMessage(stream, omittedBytes === 0 ? text : `[${omittedBytes} bytes left out]\n${text}`);
}

/** A session that a limit stopped has ended already. One that answers a key stays open for the next run. */
async function close(
  { store }: RunAgentParts,
  { session, result, run }: { session: Session; result: RunResult; run: AgentRun },
): Promise<void> {
  if (run.key === undefined) await store.end(session.id, endReason(result));
  await store.release(session.id);
}

/** A run that could not be started or recorded leaves no session behind that seems to go on. */
async function closeFailed(
  { store }: RunAgentParts,
  { session, run, error }: { session: Session; run: AgentRun; error: unknown },
): Promise<void> {
  try {
    if (run.key === undefined) await store.end(session.id, `failed: ${errorText(error)}`);
    await store.release(session.id);
  } catch {
    // What made the run fail is the error to tell; the session is closed as a crash once it has been idle.
  }
}

function endReason({ cause, exitCode, signal }: RunResult): string {
  if (cause.kind === 'interrupted') return 'interrupted';
  return exitCode === 0 ? 'done' : `failed: ${signal ?? `exit ${exitCode}`}`;
}

function endSentence(result: RunResult): string {
  return result.cause.kind === 'stopped' ? result.cause.why : `The run ended: ${endReason(result)}.`;
}

/**
 * Runs whose supervisor died are ended, and their sessions closed as what happened to them: a crash. A session in which another run
 * is at work goes on.
 */
export async function closeOrphans(parts: HomeParts): Promise<void> {
  const { store, clock } = parts;
  const { runRecords: records } = store;
  const recorded = await recordedRuns(store);
  if (recorded.length === 0) return;
  const claimed = await claimedSessions(store, clock.now());
  const goesOn = new Map<string, boolean>();
  for await (const { record, status } of closeOrphanRuns(recorded, { records, stopGraceMs: STOP_GRACE_MS })) {
    const { runId, sessionId } = record;
    // Of another machine, or of this one before it was started again: its claim on the session says whether it goes on.
    const over = status === 'elsewhere' && !claimed.has(sessionId);
    if (over) await records.remove(runId);
    goesOn.set(sessionId, goesOn.get(sessionId) === true || !(over || status === 'closed'));
  }
  for (const [id, still] of goesOn) {
    if (!still && (await store.get(id)) !== undefined) await store.end(id, 'crash');
  }
}

/** Runs that overlap count as one without a break, so that many of them put a reset off no longer than one may. */
function recordsOf({ store, clock }: HomeParts): RunRecords {
  return {
    async save(record) {
      const now = clock.now();
      const since = (await busySince(store, now)).get(record.sessionId) ?? now;
      await store.runRecords.save(record.runId, JSON.stringify({ ...record, busySince: since }));
    },
    remove: (runId) => store.runRecords.remove(runId),
  };
}
