import type { App } from '../../app/app.ts';
import { type Amount, amountOf, planTotals } from '../../app/documents/plan-document.ts';
import { type Decision, goesForGood, isRemoval, needsConsent, type Plan } from '../../core/retention/plan.ts';
import { formatBytes, formatCount, plural } from '../print/format.ts';
import type { TextOutput } from '../io.ts';
import { safeText } from '../print/safe-text.ts';
import { sessionLabel } from '../sessions/session-label.ts';
import { type Column, renderTable } from '../print/table.ts';
import { shortfallSentence } from '../../core/retention/shortfall-sentence.ts';
import { ACTION_WORDS, KIND_WORDS, REASON_WORDS } from '../../core/retention/words.ts';

const BIGGEST = 10;

export interface PlanPrinting {
  readonly home: App;
  /** Every decision, instead of the biggest that go. */
  readonly all?: boolean | undefined;
  /** The options that list all of them. */
  readonly allWith: string;
}

/** A plan for people: what to know first, totals, why, and the biggest items. */
export async function printPlan(out: TextOutput, plan: Plan, printing: PlanPrinting): Promise<void> {
  const { home, all = false, allWith } = printing;
  const { colour } = out;
  for (const note of plan.notes) out.write(`${colour.yellow('Note:')} ${safeText(note)}\n`);
  out.write(`${colour.bold(totalsSentence(plan))}\n`);
  if (freedLater(plan).items > 0) out.write(`${freeing(plan, home.config.trash.grace_days)}\n`);
  const { forGood } = planTotals(plan);
  if (forGood.items > 0) out.write(`${colour.red(forGoodSentence(forGood))}\n`);
  for (const shortfall of plan.shortfalls) out.write(`${colour.red(safeText(shortfallSentence(shortfall)))}\n`);
  if (plan.decisions.length > 0) out.write(`\n${table(out, GROUP_COLUMNS, groups(plan.decisions))}`);
  const shown = all ? plan.decisions : biggest(plan.decisions);
  if (shown.length === 0) return;
  const left = planTotals(plan).go.items - shown.length;
  const rows = await Promise.all(shown.map((decision) => itemRow(home, decision)));
  out.write(`\n${itemTable(out, rows, all ? TITLE_AT : WHY_AT)}`);
  if (!all && left > 0) out.write(`… and ${formatCount(left)} more; all of them with ${allWith}\n`);
}

function totalsSentence(plan: Plan): string {
  const { go, keep } = planTotals(plan);
  if (go.items + keep.items === 0) return 'Nothing would go: there is nothing here to decide about.';
  if (go.items === 0) return `Nothing would go. ${stays(keep)}`;
  const size = formatBytes(go.sizeBytes);
  if (archivesOnly(plan)) return `${plural(go.items, 'session')} would be archived (${size}). ${stays(keep)}`;
  return `${plural(go.items, 'item')} would go (${size}). ${stays(keep)}`;
}

/** Whether all that a plan does is to archive: nothing is lost by it, and nothing waits in the trash. */
export function archivesOnly({ decisions }: Plan): boolean {
  return decisions.every(({ action }) => action === 'keep' || action === 'archive');
}

function stays({ items, sizeBytes }: Amount): string {
  if (items === 0) return 'Nothing stays.';
  return `${plural(items, 'item')} ${items === 1 ? 'stays' : 'stay'} (${formatBytes(sizeBytes)}).`;
}

function freedLater(plan: Plan): Amount {
  return amountOf(plan.decisions, (each) => isRemoval(each) && !goesForGood(each) && each.action !== 'archive');
}

function freeing(plan: Plan, graceDays: number): string {
  const now = amountOf(plan.decisions, goesForGood);
  const later = `${formatBytes(freedLater(plan).sizeBytes)} can be given back for ${plural(graceDays, 'day')} and is free after that.`;
  return now.items === 0 ? later : `${formatBytes(now.sizeBytes)} is free at once; ${later}`;
}

function forGoodSentence({ items, sizeBytes }: Amount): string {
  return `${plural(items, 'item')} (${formatBytes(sizeBytes)}) would go FOR GOOD, because space is short: nothing brings ${items === 1 ? 'it' : 'them'} back.`;
}

/** What a plan does to an item, and whether for good. */
function actionWords(decision: Decision): string {
  return `${ACTION_WORDS[decision.action]}${needsConsent(decision) ? ' FOR GOOD' : ''}`;
}

const GROUP_COLUMNS: readonly Column[] = [
  { title: 'ACTION' },
  { title: 'WHY', shrink: true, minWidth: 12 },
  { title: 'ITEMS', align: 'right' },
  { title: 'SIZE', align: 'right' },
];

/** What goes before what stays, the largest first. */
function groups(decisions: readonly Decision[]): string[][] {
  const found = new Map<string, { readonly first: Decision; items: number; sizeBytes: number }>();
  for (const decision of decisions) {
    const key = `${actionWords(decision)} ${decision.reason}`;
    let group = found.get(key);
    if (group === undefined) found.set(key, (group = { first: decision, items: 0, sizeBytes: 0 }));
    group.items += 1;
    group.sizeBytes += decision.sizeBytes;
  }
  return [...found.values()]
    .toSorted((a, b) => Number(isRemoval(b.first)) - Number(isRemoval(a.first)) || b.sizeBytes - a.sizeBytes)
    .map(({ first, items, sizeBytes }) => [
      actionWords(first),
      REASON_WORDS[first.reason],
      formatCount(items),
      formatBytes(sizeBytes),
    ]);
}

/** Of what goes. Not by sorting all of it: it may be 100 000 items. */
function biggest(decisions: readonly Decision[]): Decision[] {
  const found: Decision[] = [];
  for (const decision of decisions) {
    if (!isRemoval(decision) || decision.sizeBytes <= (found[BIGGEST - 1]?.sizeBytes ?? -1)) continue;
    const at = found.findIndex(({ sizeBytes }) => sizeBytes < decision.sizeBytes);
    found.splice(at === -1 ? found.length : at, 0, decision);
    found.splice(BIGGEST);
  }
  return found;
}

const ITEM_COLUMNS: readonly Column[] = [
  { title: 'ITEM', shrink: true, minWidth: 36 },
  { title: 'SIZE', align: 'right' },
  { title: 'ACTION' },
  { title: 'WHY', shrink: true, minWidth: 12 },
  { title: 'TITLE', shrink: true, minWidth: 10 },
];
const WHY_AT = 3;
const TITLE_AT = 4;
const WIDE_COLUMNS = 110;

async function itemRow(home: App, decision: Decision): Promise<string[]> {
  const { item, sizeBytes, reason } = decision;
  const facts = item.kind === 'session' ? await home.sessions.get(item.id) : undefined;
  const label = facts === undefined ? KIND_WORDS[item.kind] : await sessionLabel(home, facts);
  return [item.id, formatBytes(sizeBytes), actionWords(decision), REASON_WORDS[reason], label];
}

/** A narrow terminal has no room for both why and title. Of the few biggest, the table above them says why already. */
function itemTable(out: TextOutput, rows: readonly string[][], leastAt: number): string {
  if (out.columns >= WIDE_COLUMNS) return table(out, ITEM_COLUMNS, rows);
  const narrow = rows.map((row) => row.toSpliced(leastAt, 1));
  return table(out, ITEM_COLUMNS.toSpliced(leastAt, 1), narrow);
}

function table(out: TextOutput, columns: readonly Column[], rows: readonly string[][]): string {
  return renderTable({ columns, rows, width: out.columns, colour: out.colour });
}
