import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import { planDocument } from '../../app/documents/plan-document.ts';
import { planId } from '../../app/plan-id.ts';
import { planText, savePlan } from '../../app/saved-plans.ts';
import { writeExport } from '../../app/transfer/write-export.ts';
import { isRemoval, type Plan } from '../../core/plan.ts';
import type { CommandInput } from '../command.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJsonList } from '../json-output.ts';
import { printPlan } from './print-plan.ts';

export interface Showing {
  readonly home: App;
  readonly plan: Plan;
  readonly all?: boolean | undefined;
  /** The options that list every decision. */
  readonly allWith: string;
  /** Where to write the plan, instead of keeping it in the home. */
  readonly out?: string | undefined;
}

/** A plan that nobody applies now: kept, so that exactly this one can be applied, and printed. */
export async function showPlan({ io, global }: CommandInput<object>, showing: Showing): Promise<void> {
  const { home, plan, all, allWith, out } = showing;
  const goes = plan.decisions.some(isRemoval);
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  let id: string | undefined;
  if (file !== undefined) await writeExport(file, each(planText(planDocument(plan))));
  else if (goes && home.plansHome !== undefined) id = savePlan(home.plansHome, plan, io.clock.now());
  if (global.json) {
    const { decisions, ...rest } = planDocument(plan);
    const fields = { ...rest, ...(file !== undefined && { file }) };
    await writeJsonList(io.out, { name: 'decisions', items: each(decisions), fields });
    return;
  }
  await printPlan(io.out, plan, { home, all, allWith });
  if (!goes) return;
  const apply = hintCommand(global, 'apply', file ?? id ?? planId(plan));
  io.out.write(`\nNothing was changed. To do exactly this, within a day:\n  ${io.out.colour.bold(apply)}\n`);
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
