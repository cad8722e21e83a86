import type { App } from '../../app/app.ts';
import { planTotals } from '../../app/documents/plan-document.ts';
import type { Plan } from '../../core/plan.ts';
import type { CommandInput } from '../command.ts';
import { formatBytes, plural } from '../format.ts';
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

/** Shows a plan and asks whether to carry it out, unless `--yes` says so or it does nothing. */
export async function confirmPlan(
  { io, global, options }: CommandInput<{ readonly yes?: boolean }>,
  { home, plan, look, allWith, typed = false }: PlanConfirmation,
): Promise<void> {
  const graceDays = home.config.trash.grace_days;
  const { yes } = options;
  if (yes !== true && canAsk(io, global.json)) await printPlan(io.err, plan, { home, allWith });
  const { items } = planTotals(plan).go;
  if (items === 0) return;
  const question = `\n${removalQuestion(plan, graceDays)}`;
  await confirm(io, { question, yes, json: global.json, look, ...(typed && { typed: items }) });
}

/** What is asked before a plan is carried out. */
export function removalQuestion(plan: Plan, graceDays: number): string {
  const { go, forGood } = planTotals(plan);
  if (archivesOnly(plan))
    return `Archive ${plural(go.items, 'session')} (${formatBytes(go.sizeBytes)})? They can be restored at any time.`;
  const what = `Remove ${plural(go.items, 'item')} (${formatBytes(go.sizeBytes)})?`;
  if (forGood.items === go.items) return `${what} This cannot be undone.`;
  const undo = `It can be undone for ${plural(graceDays, 'day')}`;
  return forGood.items === 0 ? `${what} ${undo}.` : `${what} ${undo}, except for ${plural(forGood.items, 'item')}.`;
}
