import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import { loadPlan, readPlanFile } from '../../app/retention/load-plan.ts';
import { dropPlan, isPlanId } from '../../app/retention/saved-plans.ts';
import { staleRemovals } from '../../app/retention/stale-removals.ts';
import { Failure } from '../../core/failure.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import type { CommandInput } from '../command.ts';
import type { ApplyOptions } from '../command-options.ts';
import { plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import type { Io } from '../io.ts';
import { withAppToClear } from '../with-app.ts';
import { carryOut, NOTHING_DONE, reportRun } from './carry-out.ts';
import { confirmPlan } from './confirm-plan.ts';
import { withScanProgress } from './with-scan-progress.ts';

/** `coppice apply PLAN…`: exactly what each plan says, and only what has not changed since. Ends with the first that is not done in full. */
export function run(input: CommandInput<ApplyOptions>): Promise<number> {
  const { args, global } = input;
  if (global.json && args.length > 1) {
    throw new Failure('usage', 'With --json there is one document, so one plan is applied at a time.', {
      hint: 'Nothing was changed. Run the command once for each plan.',
    });
  }
  return withAppToClear(input, async (home) => {
    for (const name of args) {
      const code = await applyOne(input, home, name);
      if (code !== 0) return code;
    }
    return 0;
  });
}

async function applyOne(input: CommandInput<ApplyOptions>, home: App, name: string): Promise<number> {
  const { io, global, options } = input;
  const given = isPlanId(name) ? await savedPlan(home, name) : readPlanFile(resolve(io.cwd, name));
  const plan = await narrowed(home, given, options);
  if (options.strict === true) await refuseStale(io, home, plan);
  const agreed = await confirmPlan(input, {
    home,
    plan,
    look: `run: ${hintCommand(global, 'plan')}`,
    allWith: hintCommand(global, 'plan', '--all'),
  });
  const carried = plan.decisions.some(isRemoval) ? await carryOut(io, home, { plan, agreed }) : NOTHING_DONE;
  if (isPlanId(name) && !carried.interrupted && home.plansHome !== undefined) dropPlan(home.plansHome, name);
  const goOn = `To go on, make a new plan: ${hintCommand(global, 'plan')}`;
  return reportRun(input, carried, { plan, agreed, goOn });
}

/** Without what was left out by hand. */
async function narrowed(home: App, plan: Plan, { except = [] }: ApplyOptions): Promise<Plan> {
  return except.length === 0 ? plan : (await home.retention()).narrow(plan, except);
}

async function savedPlan(home: App, id: string): Promise<Plan> {
  return (await home.savedPlan?.(id)) ?? loadPlan(home.plansHome ?? '', id);
}

/** A fresh plan of the same request must hold every removal as it was: one difference, and none of it is carried out. */
async function refuseStale(io: Io, home: App, plan: Plan): Promise<void> {
  const retention = await home.retention();
  const fresh = await withScanProgress(io, (scan) => retention.plan(plan.request, scan));
  const stale = staleRemovals(plan, fresh);
  const [first] = stale;
  if (first === undefined) return;
  const others = stale.length === 1 ? '' : ` and ${plural(stale.length - 1, 'other')}`;
  throw new Failure('refused', `The plan no longer fits: ${first.item.id}${others} would not go that way any more.`, {
    hint: 'Nothing was changed. Make a new plan with: coppice plan',
  });
}
