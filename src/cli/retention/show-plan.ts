import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import { planDocument } from '../../app/documents/plan-document.ts';
import { planId } from '../../app/retention/plan-id.ts';
import { planText, savePlan } from '../../app/retention/saved-plans.ts';
import { writeExport } from '../../app/transfer/export/write-export.ts';
import { isNoSpace } from '../../core/machine-failure.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import { hintCommand } from '../hint-command.ts';
import type { Io } from '../io.ts';
import { writeJsonList } from '../print/json-output.ts';
import { printPlan } from './print-plan.ts';

export interface Showing {
  readonly home: App;
  readonly plan: Plan;
  readonly all?: boolean | undefined;
  /** The options that list every decision. */
  readonly allWith: string;
  /** Where to write the plan, instead of keeping it in the home. */
  readonly out?: string | undefined;
  /** The same command does it when it is not asked for a dry run. */
  readonly isDryRun?: true;
}

/** A plan that nobody applies now: kept, so that exactly this one can be applied, and printed. */
export async function showPlan({ io, global, onShown }: CommandInput<object>, showing: Showing): Promise<void> {
  const { home, plan, all, allWith, out } = showing;
  const goes = plan.decisions.some(isRemoval) && plan.onlyShown !== true;
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  let id: string | undefined;
  if (file !== undefined) await writeExport(file, each(planText(planDocument(plan))));
  else if (goes && home.plansHome !== undefined) id = saveIfPossible(home.plansHome, plan, io);
  if (global.json) {
    const { decisions, ...rest } = planDocument(plan);
    const fields = { ...rest, ...(file !== undefined && { file }) };
    await writeJsonList(io.out, { name: 'decisions', items: each(decisions), fields });
    return;
  }
  await printPlan(io.out, plan, { home, all, allWith });
  if (!goes) return;
  if (id === undefined && file === undefined && home.plansHome !== undefined) {
    io.out.write(
      `\nNothing was changed. The disk is full, so this plan was not kept. ${showing.isDryRun ? 'To do exactly this, leave out --dry-run.' : howElse(global)}\n`,
    );
    return;
  }
  onShown?.(file ?? id ?? planId(plan));
  const apply = hintCommand(global, 'apply', file ?? id ?? planId(plan), ...sameSettings(global));
  io.out.write(`\nNothing was changed. To do exactly this, within a day:\n  ${io.out.colour.bold(apply)}\n`);
}

/** A plan is worth seeing on a full disk too; there it can only not be kept. */
function saveIfPossible(plansHome: string, plan: Plan, { clock }: Io): string | undefined {
  try {
    return savePlan(plansHome, plan, clock.now());
  } catch (error) {
    if (!isNoSpace(error)) throw error;
    return undefined;
  }
}

function howElse(global: GlobalOptions): string {
  const keep = hintCommand(global, 'plan', '--out', 'FILE', ...sameSettings(global));
  const apply = hintCommand(global, 'apply', 'FILE', ...sameSettings(global));
  return `To do exactly this, keep the plan on another disk:\n  ${keep}\n  ${apply}`;
}

/** What is applied is judged again, so it must be by the rules that the plan was made by. */
function sameSettings({ set }: GlobalOptions): string[] {
  return set.flatMap(({ key, value }) => ['--set', `${key}=${value}`]);
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
