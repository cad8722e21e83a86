import type { App } from '../../app/app.ts';
import { planTotals } from '../../app/documents/plan-document.ts';
import type { CarriedRun } from '../../app/documents/run-document.ts';
import type { PlanRequest } from '../../core/retention/plan.ts';
import type { CommandInput } from '../command.ts';
import type { ByHandOptions } from '../command-options.ts';
import { emptiedLines } from '../trash/emptied-lines.ts';
import { withAppToClear, withAppToLook } from '../with-app.ts';
import { carryOut, NOTHING_DONE, reportRun } from './carry-out.ts';
import { confirmPlan } from './confirm-plan.ts';
import { refuseOnlyShown } from './refuse-only-shown.ts';
import { showPlan } from './show-plan.ts';
import { withScanProgress } from './with-scan-progress.ts';

export interface ByHand {
  /** Done before the plan is made, unless nothing may change. */
  readonly prepare?: (home: App) => Promise<unknown>;
  /** A yes is not enough. */
  readonly typed?: boolean;
}

/** Plans what a person asks for, shows it, asks, and carries it out. A dry run ends after it was shown. */
export function runByHand<O extends ByHandOptions>(
  input: CommandInput<O>,
  requestFor: (home: App) => PlanRequest | Promise<PlanRequest>,
  { prepare, typed }: ByHand = {},
): Promise<number> {
  const { io, options } = input;
  const withHome = options.dryRun === true ? withAppToLook : withAppToClear;
  return withHome(input, async (home) => {
    if (options.dryRun !== true) await prepare?.(home);
    const request = await requestFor(home);
    const plan = await withScanProgress(io, (scan) => home.plan(request, scan));
    if (options.dryRun === true) {
      await showPlan(input, { home, plan, allWith: '--json', isDryRun: true });
      return 0;
    }
    refuseOnlyShown(plan);
    const agreed = await confirmPlan(input, { home, plan, look: 'add --dry-run', allWith: '--dry-run --json', typed });
    const carried =
      planTotals(plan).go.items === 0 ? await nothing(input, home) : await carryOut(io, home, { plan, agreed });
    const unseen = options.yes === true;
    return reportRun(input, carried, { plan, goOn: 'To go on, run the command again.', agreed, unseen });
  });
}

/** Who cuts back once a month may find nothing to remove, and what was removed before is over its time all the same. */
async function nothing({ io, global }: CommandInput<object>, home: App): Promise<CarriedRun> {
  const emptied = await (await home.retention()).emptyExpired();
  if (global.json) return { ...NOTHING_DONE, freedBytes: emptied.freedBytes };
  for (const line of emptiedLines(emptied)) io.out.write(`${line}\n`);
  return NOTHING_DONE;
}
