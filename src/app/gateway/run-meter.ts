import type { Verdict } from '../../core/gateway/gateway.ts';
import type { UsageReport } from '../../core/sessions/session.ts';
import type { SpendRule } from '../../gateway/spend/check-spend.ts';
import { reserves } from '../../gateway/spend/check-spend.ts';
import type { LiveRules } from '../../gateway/live-state.ts';
import { createCallEstimator } from '../../gateway/meter/call-estimator.ts';
import { startMeterProxy } from '../../gateway/meter/meter-proxy.ts';
import { isKnownAgent, meteredStart } from '../../gateway/meter/metered-agent.ts';
import type { BegunCall, CallDesk } from '../../gateway/meter/metered-call.ts';
import type { AnswerUsage } from '../../gateway/meter/model-api.ts';
import { type Prices, priceOf, priceUsage, UNNAMED_MODEL } from '../../gateway/spend/price-usage.ts';
import { forbids } from '../../gateway/strictest.ts';
import type { Turn } from '../../gateway/turn.ts';
import { factsOf } from '../../gateway/verdict-of.ts';
import { wait } from '../../platform/machine/wait.ts';
import type { UsageWays } from './usage-ways.ts';

/** What the meter needs of a run. */
export interface MeterableRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly meter?: boolean;
}

/** How long a call waits for others to end that have set aside what is left, and how often it asks. */
const CROWDED_MS = 30_000;
const ASK_MS = 50;

/** Whether a run is metered: because somebody says so, or because a limit is set that only the meter can keep. */
export function wantsMeter({ meter, command }: MeterableRun, rules: readonly SpendRule[]): boolean {
  return meter ?? (isKnownAgent(command) && reserves(rules));
}

export interface RunMeter<Run extends MeterableRun> extends AsyncDisposable {
  /** The run, with the addresses of its models replaced. */
  readonly run: Run;
  /** Aborted when a call was refused. */
  readonly stopSignal: AbortSignal;
}

export interface RunMeterOptions {
  readonly turn: Turn;
  readonly rules: LiveRules;
  readonly ways: UsageWays;
  /** Takes the verdict that ended the run. */
  readonly heed: (verdict: Verdict) => void;
  /** Passes on what is worth knowing and no reason to end. */
  readonly remark: (verdict: Verdict) => void;
}

/** Starts a meter for one run: each call of a model is asked for before and booked after it. */
export async function startRunMeter<Run extends MeterableRun>(
  run: Run,
  options: RunMeterOptions,
): Promise<RunMeter<Run>> {
  const stopping = new AbortController();
  const desk = createCallDesk(options, (verdict) => stopping.abort(factsOf(verdict)));
  const proxy = await startMeterProxy(desk);
  const { command, args } = run;
  const start = meteredStart({ command, args, env: run.env ?? process.env }, proxy);
  return {
    run: { ...run, ...start },
    stopSignal: stopping.signal,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function createCallDesk(
  { turn, rules, heed, remark, ways }: RunMeterOptions,
  refused: (verdict: Verdict) => void,
): CallDesk {
  const estimator = createCallEstimator();
  const heedIt = (verdict: Verdict): string => {
    heed(turn.heed(verdict));
    refused(verdict);
    return `Coppice has stopped this run. ${factsOf(verdict)}`;
  };
  return {
    async begin(call) {
      ways.take('meter');
      const { inputTokens, outputTokens, certain } = estimator.estimate(call);
      const used = { ...NO_USAGE, model: call.model, inputTokens, outputTokens };
      const needs = { tokens: inputTokens + outputTokens, nanoUsd: priceUsage(used, rules.prices), certain };
      let judged = await turn.beforeCall(call.model, needs);
      for (let waitedMs = 0; judged.crowded && waitedMs < CROWDED_MS; waitedMs += ASK_MS) {
        await wait(ASK_MS);
        judged = await turn.beforeCall(call.model, needs);
      }
      const { reservation, verdict } = judged;
      if (reservation === undefined) return heedIt(verdict);
      remark(verdict);
      const begun: BegunCall = {
        async end({ usage, model = call.model }) {
          estimator.learn(call, usage);
          const billedTo = call.model === UNNAMED_MODEL ? model : call.model;
          const after = await turn.usage(reportOf(billedTo, usage, rules.prices), reservation);
          if (forbids(after)) heedIt(after);
          else remark(after);
        },
        free: () => turn.callOff(reservation),
        async lost() {
          const after = await turn.usage({ model: call.model, inputTokens, outputTokens }, reservation);
          if (forbids(after)) heedIt(after);
        },
      };
      return begun;
    },
  };
}

/** What an answer tells. Who asks later knows nothing of how long a cache keeps what was written to it, so that is priced here. */
function reportOf(model: string, { hourCacheWriteTokens = 0, ...usage }: AnswerUsage, prices: Prices): UsageReport {
  if (hourCacheWriteTokens === 0 || priceOf(model, prices) === undefined) return { model, ...usage };
  const priced = priceUsage({ ...NO_USAGE, ...usage, model, hourCacheWriteTokens }, prices);
  return { model, ...usage, costUsd: priced / 1e9 };
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
