import type { App } from '../../app/app.ts';
import { planTotals } from '../../app/documents/plan-document.ts';
import { goesForGood, isRemoval, type Plan } from '../../core/retention/plan.ts';
import type { CommandInput } from '../command.ts';
import { formatBytes, plural } from '../print/format.ts';
import { canAsk, confirm } from './confirm.ts';
import { archivesOnly, printPlan } from './print-plan.ts';

export interface PlanConfirmation {
  readonly home: App;
  readonly plan: Plan;
  /** The option or command that shows it first, for someone who cannot be asked. */
  readonly look: string;
  /** What lists every decision. */
  readonly allWith: string;
  /** So much goes that a yes is too quickly said: the number is to be typed. */
  readonly typed?: boolean | undefined;
}

/** What was agreed to. */
export interface Agreed {
  /** Also what loses its way back. */
  readonly forGood: boolean;
}

/**
 * Shows a plan and asks whether to carry it out, unless `--yes` says so or it does nothing. What goes for good is agreed to apart:
 * by typing how many, or with `--for-good`.
 */
export async function confirmPlan(
  { io, global, options }: CommandInput<{ readonly yes?: boolean; readonly forGood?: boolean }>,
  { home, plan, look, allWith, typed = false }: PlanConfirmation,
): Promise<Agreed> {
  const graceDays = home.config.trash.grace_days;
  const { yes, forGood = false } = options;
  if (yes !== true && canAsk(io, global.json)) await printPlan(io.err, plan, { home, allWith });
  const { go, forGood: lost } = planTotals(plan);
  if (go.items === 0) return { forGood };
  const question = `\n${removalQuestion(plan, graceDays)}`;
  const toType = typed ? go.items : lost.items;
  await confirm(io, { question, yes, json: global.json, look, ...(toType > 0 && { typed: toType }) });
  return { forGood: forGood || (lost.items > 0 && yes !== true) };
}

/** What is asked before a plan is carried out. */
export function removalQuestion(plan: Plan, graceDays: number): string {
  const { go, forGood } = planTotals(plan);
  if (archivesOnly(plan))
    return `Archive ${plural(go.items, 'session')} (${formatBytes(go.sizeBytes)})? They can be restored at any time.`;
  const what = `Remove ${plural(go.items, 'item')} (${formatBytes(go.sizeBytes)})?`;
  if (plan.decisions.every((one) => !isRemoval(one) || goesForGood(one))) return `${what} This cannot be undone.`;
  const undo = `It can be undone for ${plural(graceDays, 'day')}`;
  if (forGood.items === 0) return `${what} ${undo}.`;
  return `${what} ${plural(forGood.items, 'item')} (${formatBytes(forGood.sizeBytes)}) would go FOR GOOD; the rest can be undone for ${plural(graceDays, 'day')}.`;
}
