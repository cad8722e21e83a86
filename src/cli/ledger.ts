import type { App } from '../app/app.ts';
import { ledgerDocument } from '../app/documents/ledger-document.ts';
import { type LedgerAmount, type LedgerTotals, usageOf } from '../app/ledger.ts';
import type { LedgerGroup, LedgerRecord } from '../core/stores/ledger-book.ts';
import { totalTokens } from '../core/sessions/session.ts';
import type { CommandInput, GlobalOptions } from './command.ts';
import type { LedgerOptions } from './command-options.ts';
import { formatAge, formatCount, formatDate, formatTokens, formatUsd, plural } from './print/format.ts';
import { hintCommand } from './hint-command.ts';
import type { Io } from './io.ts';
import { writeJson, writeJsonList } from './print/json-output.ts';
import { mapped } from './mapped.ts';
import { renderTable } from './print/table.ts';
import { withAppRecords } from './with-app.ts';

/** A screenful. Programs get everything unless they ask for less. */
const SHOWN = 20;

/** `coppice ledger [--by day|month|model|source]` */
export function run(input: CommandInput<LedgerOptions>): Promise<number> {
  const { by } = input.options;
  return withAppRecords(input, async (home) => {
    if (by !== undefined) await showTotals(home, input, by);
    else if (input.global.json) {
      const items = mapped(home.ledger.list(input.options), ledgerDocument);
      await writeJsonList(input.io.out, { name: 'entries', items });
    } else await printEntries(home, input);
    return 0;
  });
}

async function showTotals(home: App, { options, io, global }: CommandInput<LedgerOptions>, by: LedgerGroup) {
  const { limit, ...query } = options;
  const all = await home.ledger.totals({ ...query, by });
  const totals = all.totals.slice(0, limit);
  if (global.json) writeJson(io.out, { by, totals, total: all.total });
  else if (all.total.sessions === 0) io.out.write(nothingFound(options, global));
  else printTotals(io, by, { ...all, totals });
}

function printTotals(io: Io, by: LedgerGroup, { totals, total }: LedgerTotals): void {
  printHead(io, total);
  const columns = [
    { title: by.toUpperCase(), shrink: true },
    ...['SESSIONS', 'MESSAGES', 'TOKENS', 'COST'].map((title) => ({ title, align: 'right' as const })),
  ];
  const rows = totals.map(({ key, sessions, messages, usage }) => [
    key,
    formatCount(sessions),
    formatCount(messages),
    formatTokens(totalTokens(usage)),
    formatUsd(usage.costUsd),
  ]);
  io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
}

async function printEntries(home: App, { options, io, global }: CommandInput<LedgerOptions>): Promise<void> {
  const { limit = SHOWN, ...query } = options;
  const { total } = await home.ledger.totals({ ...query, by: 'source' });
  if (total.sessions === 0) {
    io.out.write(nothingFound(options, global));
    return;
  }
  printHead(io, total);
  const rows: string[][] = [];
  for await (const entry of home.ledger.list({ ...query, limit })) rows.push(row(entry, io.clock.now()));
  io.out.write(renderTable({ columns: COLUMNS, rows, width: io.out.columns, colour: io.out.colour }));
  if (total.sessions > limit) io.err.write(`\nThere are more. Add --limit ${limit * 5} to see them.\n`);
}

function printHead(io: Io, { sessions, usage }: LedgerAmount): void {
  const used = `${plural(totalTokens(usage), 'token')}, ${formatUsd(usage.costUsd)}`;
  io.out.write(`${io.out.colour.bold(`${plural(sessions, 'removed session')}: ${used}`)}\n\n`);
}

const COLUMNS = [
  { title: 'STARTED' },
  { title: 'REMOVED' },
  { title: 'SOURCE', shrink: true },
  { title: 'MODEL', shrink: true },
  { title: 'TOKENS', align: 'right' as const },
  { title: 'COST', align: 'right' as const },
  { title: 'TITLE', shrink: true, minWidth: 10 },
];

/** A session without a title is known by its id. */
function row(entry: LedgerRecord, now: number): string[] {
  const usage = usageOf(entry);
  return [
    formatDate(entry.startedAt),
    formatAge(entry.removedAt, now),
    entry.source,
    entry.usageByModel.map(({ model }) => model).join(', '),
    formatTokens(totalTokens(usage)),
    formatUsd(usage.costUsd),
    entry.title ?? entry.id,
  ];
}

function nothingFound(options: LedgerOptions, global: GlobalOptions): string {
  const filtered = Object.keys(options).some((name) => name !== 'limit' && name !== 'by');
  if (filtered) return `No removed session matches. See all of them with: ${hintCommand(global, 'ledger')}\n`;
  return `No session was removed yet.\nSee what the others have used with: ${hintCommand(global, 'sessions', 'list', '--sort', 'cost')}\n`;
}
