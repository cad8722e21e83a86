import type { UsageSummary } from '../app/usage/home-usage.ts';
import type { UsageGroup, UsageTotal } from '../core/stores/usage-book.ts';
import { totalTokens } from '../core/sessions/session.ts';
import type { CommandInput } from './command.ts';
import type { UsageOptions } from './command-options.ts';
import { formatCount, formatTokens, formatUsd, plural } from './print/format.ts';
import { unpricedSentence } from './gateway/budget-words.ts';
import type { Io } from './io.ts';
import { writeJson } from './print/json-output.ts';
import { safeText } from './print/safe-text.ts';
import { renderTable } from './print/table.ts';
import { withAppRecords } from './with-app.ts';

/** A screenful. Programs get everything unless they ask for less. */
const SHOWN = 31;

/** `coppice usage [--by day|week|month|model|project|agent|session]` */
export function run(input: CommandInput<UsageOptions>): Promise<number> {
  const { global, io } = input;
  const { by = 'day', limit, ...range } = input.options;
  return withAppRecords(input, async (home) => {
    // A home that is named is the only one that is meant.
    const report = await home.usage.totals({ by, ...range, everywhere: global.home === undefined });
    const shown = { ...report, totals: report.totals.slice(0, global.json ? limit : (limit ?? SHOWN)) };
    if (global.json) writeJson(io.out, { ...shown });
    else print(io, shown, report.totals.length);
    return 0;
  });
}

function print(io: Io, report: UsageSummary, length: number): void {
  const { by, totals, total, unpricedModels, problems, timeZone } = report;
  for (const { message } of problems) io.err.write(`${safeText(message)}\n`);
  if (total.sessions === 0) {
    io.out.write('Nothing was used.\n');
    return;
  }
  const used = `${plural(totalTokens(total.usage), 'token')}, ${formatUsd(total.usage.costUsd)}`;
  io.out.write(`${io.out.colour.bold(`${plural(total.sessions, 'session')}: ${used}`)}\n\n`);
  const columns = columnsOf(by);
  const rows = totals.map((each) => rowOf(each, by));
  io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
  if (BY_TIME.has(by)) io.out.write(`\nDays begin at midnight in ${timeZone}.\n`);
  if (unpricedModels.length > 0) io.err.write(`\n${unpricedSentence(unpricedModels.map(({ model }) => model))}\n`);
  if (length > totals.length) io.err.write(`\nThere are more. Add --limit ${length} to see them.\n`);
}

const BY_TIME: ReadonlySet<UsageGroup> = new Set(['day', 'week', 'month']);

function columnsOf(by: UsageGroup) {
  return [
    { title: by.toUpperCase(), shrink: true, minWidth: 10 },
    ...(by === 'session' ? [{ title: 'AGENT', shrink: true }] : [toTheRight('SESSIONS')]),
    ...['INPUT', 'OUTPUT', 'CACHE READ', 'CACHE WRITE', 'COST'].map(toTheRight),
  ];
}

function toTheRight(title: string) {
  return { title, align: 'right' as const };
}

function rowOf({ key, agent, sessions, usage, unpricedTokens }: UsageTotal, by: UsageGroup): string[] {
  return [
    key,
    by === 'session' ? (agent ?? '') : formatCount(sessions),
    formatTokens(usage.inputTokens),
    formatTokens(usage.outputTokens),
    formatTokens(usage.cacheReadTokens),
    formatTokens(usage.cacheWriteTokens),
    // Nothing is known of what that cost.
    unpricedTokens > 0 && usage.costUsd === 0 ? '?' : formatUsd(usage.costUsd),
  ];
}
