import { Failure } from '../../core/failure.ts';
import { agentName } from '../../gateway/agent-name.ts';
import { reserves, type SpendRule } from '../../gateway/check-spend.ts';
import { type MeterableRun, wantsMeter } from './run-meter.ts';
import { isReadable } from './run-readers.ts';

interface LimitedRun extends MeterableRun {
  readonly cwd?: string;
  readonly requireUsage?: boolean;
  readonly tell?: (sentence: string) => void;
}

/**
 * Before a run with a limit in tokens or dollars: says where that limit may come too late or not at all. Refuses the run where usage is
 * required and nobody is known to tell it.
 */
export function tellUsageWay(run: LimitedRun, rules: readonly SpendRule[]): void {
  if (!reserves(rules) || wantsMeter(run, rules)) return;
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
