import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { PlanOptions } from '../command-options.ts';
import { withAppToLook } from '../with-app.ts';
import { showPlan } from './show-plan.ts';
import { withScanProgress } from './with-scan-progress.ts';

/** `coppice plan`. Exit 4 when a size limit stays out of reach. */
export function run(input: CommandInput<PlanOptions>): Promise<number> {
  const { io, options } = input;
  return withAppToLook(input, async (home) => {
    const plan = await withScanProgress(io, (scan) => home.plan({ kind: 'policy' }, scan));
    await showPlan(input, { home, plan, allWith: '--all', ...options });
    return plan.shortfalls.length === 0 ? 0 : FAILURES['cap-unreachable'].exit;
  });
}
