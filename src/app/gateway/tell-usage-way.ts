import { Failure } from '../../core/failure.ts';
import { OK } from '../../core/gateway/gateway.ts';
import { agentName } from '../../gateway/agent-name.ts';
import { checkPrice } from '../../gateway/spend/check-price.ts';
import { reserves } from '../../gateway/spend/check-spend.ts';
import type { LiveRules } from '../../gateway/live-state.ts';
import { namedModel } from '../../gateway/named-model.ts';
import { forbids } from '../../gateway/strictest.ts';
import { factsOf } from '../../gateway/verdict-of.ts';
import { type MeterableRun, wantsMeter } from './run-meter.ts';
import { isReadable } from './run-readers.ts';

interface LimitedRun extends MeterableRun {
  readonly cwd?: string;
  readonly requireUsage?: boolean;
  readonly tell?: (sentence: string) => void;
}

/**
 * Before a run with a limit in tokens or dollars: says where that limit may come too late or not at all. Refuses the run where usage is
 * required and nobody is known to tell it, or what it costs.
 */
export function tellUsageWay(run: LimitedRun, rules: LiveRules): void {
  tellPrice(run, rules);
  if (!reserves(rules.spend) || wantsMeter(run, rules.spend)) return;
  const name = agentName(run.command);
  if (isReadable(run)) {
    run.tell?.(`What ${name} uses is read from what it writes itself, so a limit may be passed by one call.`);
    return;
  }
  const unknown = `It is not known how ${name} tells what it uses`;
  if (run.requireUsage === true) {
    throw new Failure('refused', `${unknown}, so it was not started.`, {
      hint: 'Count it between the agent and its models with --meter. What it tells by events counts then as well.',
    });
  }
  run.tell?.(
    `${unknown}. Unless it sends events, no limit in tokens or dollars can stop it; they come after a call, so a limit may be passed by one. Count it with: coppice run --meter`,
  );
}

/** On a screen that belongs to an agent nothing can be said later. */
function tellPrice(run: LimitedRun, rules: LiveRules): void {
  const model = namedModel({ ...run, env: run.env ?? process.env });
  const verdict = model === undefined ? OK : checkPrice(rules, model);
  if (verdict === OK) return;
  if (forbids(verdict)) {
    throw new Failure('refused', `${factsOf(verdict)} It was not started.`, {
      hint: 'Such as: prices: { MODEL: { input: 3, output: 15 } }, in US dollars for a million tokens.',
    });
  }
  run.tell?.(factsOf(verdict));
}
