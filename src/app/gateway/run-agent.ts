import { errorText } from '../../core/error-text.ts';
import { firstSignal } from '../../core/first-signal.ts';
import type { Amounts, Verdict } from '../../core/gateway/gateway.ts';
import { counted, RUN_COUNTERS, type RunLimits, runLimitName } from '../../core/gateway/limits.ts';
import type { Reservation } from '../../core/gateway/spend-book.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { reserves, type SpendRule } from '../../gateway/spend/check-spend.ts';
import { createHeldAhead, type HeldAhead, type OwnLimits } from '../../gateway/spend/held-ahead.ts';
import type { LiveRules } from '../../gateway/live-state.ts';
import { type AdviceFile, createAdviceFile } from '../../gateway/run/advice-file.ts';
import { createGraceBudget, hardLimits } from '../../gateway/run/grace-budget.ts';
import type { RunRecords } from '../../gateway/run/run-record.ts';
import type { RunResult } from '../../gateway/run/run-result.ts';
import { type RunIo, type RunOptions, superviseRun } from '../../gateway/run/supervise-run.ts';
import type { UsedShare } from '../../gateway/spend/share-teller.ts';
import { stopReason } from '../../gateway/stop-reason.ts';
import { uuidV7 } from '../../platform/machine/uuid-v7.ts';
import type { HomeParts } from '../home-parts.ts';
import type { Session } from '../sessions/session.ts';
import { sessionHandle } from '../sessions/session-handle.ts';
import { closeOrphans } from './close-orphans.ts';
import type { LiveGateway } from './live-gateway.ts';
import { busySince } from './recorded-runs.ts';
import { type CheckpointParts, type RunCheckpoints, takeAround } from './run-checkpoints.ts';
import { startRunMeter, wantsMeter } from './run-meter.ts';
import { startRunReaders } from './run-readers.ts';
import { createSessionSink } from './session-sink.ts';
import { STOP_GRACE_MS } from './stop-grace.ts';
import { tellUsageWay } from './tell-usage-way.ts';
import { createUsageWays, type UsageWay } from './usage-ways.ts';
import { withoutSecret } from './webhook-signer.ts';

/** An agent to run, and what it may use. Limits given here win over the configured ones. */
export interface AgentRun extends RunLimits {
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
  /** Whether its working directory is saved before it starts and when it has ended; `checkpoints.enabled` when absent. */
  readonly checkpoints?: boolean;
  /** Counts what it uses between it and its models; by itself for a known agent where tokens or dollars are limited. */
  readonly meter?: boolean;
  /** Takes every printed line that looks like an event for one. Only for agents that print nothing of strangers. */
  readonly eventsOnStdout?: boolean;
  /** Stops it politely when aborted; `killSignal` at once. */
  readonly signal?: AbortSignal;
  readonly killSignal?: AbortSignal;
  readonly io?: RunIo;
  /** Does not start an agent that is not known to tell what it uses, where tokens or dollars are limited. */
  readonly requireUsage?: boolean;
  /** Told before it starts how well its limits can be kept, in a sentence. */
  readonly tell?: (sentence: string) => void;
}

export interface AgentRunResult extends RunResult {
  readonly session: SessionFacts;
  /** What the session has used, as budgets count it. */
  readonly used: Amounts;
  /** Whether it could use only so many tokens or dollars. */
  readonly isLimited: boolean;
  /** Whether a meter stood between it and its models. */
  readonly isMetered: boolean;
  /** The verdict that ended it; absent where none did. */
  readonly stoppedBy?: Verdict;
  /** Who told what it used; undefined when nobody did. */
  readonly usageFrom: UsageWay | undefined;
  /** Models that it used and whose price is not known, so that they cost nothing here. */
  readonly unpricedModels: readonly string[];
  /** Shares of budgets that this run was the first to use, a sentence for each budget but the one that stopped it. */
  readonly alerts: readonly string[];
  /** What was saved of its working directory; absent when nobody wanted that. */
  readonly checkpoints?: RunCheckpoints;
}

export interface RunAgentParts extends HomeParts, CheckpointParts {
  readonly gateway: LiveGateway;
}

/** Runs an agent as a session: its events and output are recorded as they come, its limits kept, its end written down. */
export async function runAgent(parts: RunAgentParts, run: AgentRun): Promise<AgentRunResult> {
  if ((await closeOrphans(parts)) > 0) await parts.gateway.settleDead();
  const { facts, rules, reservation, ahead } = await admitted(parts, run);
  parts.upkeep?.wrote();
  const session = sessionHandle(parts, facts.id);
  const live = await parts.gateway.live.follow(facts, rules);
  using _background = parts.gateway.background(facts.id);
  using alerts = parts.gateway.alerts.hear(facts.id);
  await using turn = live.beginTurn({ reservation, ahead });
  const isMetered = wantsMeter(run, rules.spend);
  const ways = createUsageWays();
  const { sink, heed, remark, stoppedBy } = createSessionSink(session, turn, ways);
  await using meter = isMetered ? await startRunMeter(run, { turn, rules, heed, remark, ways }) : undefined;
  using readers = await startRunReaders(run, { turn, heed, ways, sessionId: facts.id, clock: parts.clock });
  const grace = createGraceBudget({
    percent: parts.config.budgets.grace_percent,
    limits: hardLimits(rules),
    used: async () => ({ tokens: 0, nanoUsd: 0, ...(await turn.used()), ...(await turn.size()) }),
  });
  using stop = firstSignal(readers.stopSignal, meter?.stopSignal);
  // What a meter has counted must not be counted from files after a crash.
  const reads = isMetered ? undefined : readers.reads;
  const supervised = { sessionId: facts.id, sink, grace, stopSignal: stop.signal, reads, printed: readers.printed };
  const { result, checkpoints } = await takeAround(parts, { run, sessionId: facts.id }, async () => {
    try {
      return await supervise(parts, meter?.run ?? run, supervised);
    } finally {
      await readers.finish();
    }
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
  const told = {
    isLimited: reserves(rules.spend),
    isMetered,
    ...(verdict && { stoppedBy: verdict }),
    usageFrom: ways.counting(),
    unpricedModels: turn.unpriced(),
    alerts: lastShares(alerts.told, verdict),
  };
  await parts.gateway.alerts.settled();
  return { ...result, session: after, used: await turn.used(), ...told, ...(checkpoints && { checkpoints }) };
}

/** Of each budget the largest share that was used. Why the run was stopped is said in any case. */
function lastShares(told: readonly UsedShare[], verdict: Verdict | undefined): readonly string[] {
  const last = new Map(told.map((share) => [`${share.scope} ${share.key} ${share.counter}`, share]));
  const isSaid = ({ scope, counter }: UsedShare): boolean =>
    verdict?.causes.some((cause) => cause.scope === scope && cause.rule === counter) === true;
  return [...last.values()].filter((share) => !isSaid(share)).map(({ message }) => message);
}

async function supervise(
  parts: RunAgentParts,
  run: AgentRun,
  own: Pick<RunOptions, 'sessionId' | 'sink' | 'grace' | 'stopSignal' | 'reads' | 'printed'>,
): Promise<RunResult> {
  const { command, args, signal, killSignal, io } = run;
  const advice = makeAdviceFile(parts, own.sessionId);
  try {
    return await superviseRun({
      ...own,
      command,
      args,
      cwd: run.cwd ?? process.cwd(),
      env: withoutSecret(run.env ?? process.env, parts.config.webhooks),
      records: recordsOf(parts),
      stopGraceMs: STOP_GRACE_MS,
      eventsOnStdout: run.eventsOnStdout,
      advice,
      ...(signal && { signal }),
      ...(killSignal && { killSignal }),
      ...(io && { io }),
    });
  } finally {
    advice?.remove();
  }
}

/** An agent can work without advice, so a machine that has no room for the file runs it all the same. */
function makeAdviceFile({ clock, gateway }: RunAgentParts, sessionId: string): AdviceFile | undefined {
  try {
    return createAdviceFile(clock);
  } catch (error) {
    const message = `The agent gets no advice, because no file could be made for it: ${errorText(error)}`;
    gateway.events.publish({ kind: 'warning', sessionId, message });
    return undefined;
  }
}

interface AdmittedRun {
  readonly facts: SessionFacts;
  readonly rules: LiveRules;
  readonly reservation: Reservation | undefined;
  readonly ahead: HeldAhead | undefined;
}

/** The session of the run. Where a budget is used up there is none: a run that may not begin leaves nothing behind. */
async function admitted(parts: RunAgentParts, run: AgentRun): Promise<AdmittedRun> {
  const { source = 'run', key, cwd } = run;
  const { gateway, store } = parts;
  const workdir = cwd ?? process.cwd();
  const admit = async (facts: Pick<SessionFacts, 'id' | 'source'>): Promise<Omit<AdmittedRun, 'facts'>> => {
    const rules = withLimits(gateway.live.rulesFor(facts.source).live, run);
    tellUsageWay(run, rules);
    // A meter asks before each call; nothing else does.
    const ahead = wantsMeter(run, rules.spend) ? undefined : createHeldAhead(ownLimits(run));
    const { id: sessionId, source: from } = facts;
    const reservation = await gateway.budgets.admit({ sessionId, source: from, rules: rules.spend, needs: ahead?.now });
    return { rules, reservation, ahead };
  };
  if (key === undefined) {
    const id = run.sessionId ?? uuidV7(parts.clock.now());
    const admission = await admit({ id, source });
    return { facts: await store.create({ source, workdir, id }), ...admission };
  }
  const { facts: resolved } = await gateway.resolve({ key, source, workdir });
  const admission = await admit(resolved);
  // Claims it: an agent may say nothing for long, and its session is in use all the same.
  const { facts } = await store.routes.settle(key, () => ({ kind: 'keep' as const }));
  return { facts, ...admission };
}

/** What this run may use in all, as far as somebody said so. One that answers a key shares its session, and the limit, with others. */
function ownLimits({ key, maxTokens, maxUsd }: AgentRun): OwnLimits {
  if (key !== undefined) return {};
  return { tokens: maxTokens, nanoUsd: counted('nanoUsd', maxUsd) };
}

/** The limits of this run instead of the configured ones for the session; all others stay. */
function withLimits(rules: LiveRules, run: AgentRun): LiveRules {
  const own = RUN_COUNTERS.flatMap((counter): SpendRule[] => {
    const limit = counted(counter, run[runLimitName(counter)]);
    return limit === undefined ? [] : [{ scope: 'session', counter, limit, warnAt: limit * 0.8, onBreach: 'stop' }];
  });
  const replaced = new Set<string>(own.map(({ counter }) => counter));
  const kept = rules.spend.filter(({ scope, counter }) => scope !== 'session' || !replaced.has(counter));
  return { ...rules, spend: [...own, ...kept], requirePrices: run.requireUsage === true };
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

/** Runs that overlap count as one without a break, so that many of them put a reset off no longer than one may. */
function recordsOf({ store, clock }: HomeParts): RunRecords {
  return {
    async save(record) {
      const now = clock.now();
      const since = (await busySince(store, clock)).get(record.sessionId) ?? now;
      await store.runRecords.save(record.runId, JSON.stringify({ ...record, busySince: since }));
    },
    remove: (runId) => store.runRecords.remove(runId),
  };
}
