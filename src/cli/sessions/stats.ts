import type { Amount, SessionStats } from '../../app/sessions/session-stats.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatBytes, formatCount, plural } from '../print/format.ts';
import { forSamePlace } from '../hint-command.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';
import { statsTip } from './stats-tip.ts';

/** `coppice sessions stats` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppToLook(input, async (home) => {
    using progress = startProgress(io, { label: 'Counting' });
    const stats = await home.sessions.stats({ signal: io.signal, onProgress: (done) => progress.update({ done }) });
    progress.done();
    const tip = forSamePlace(global, statsTip(stats));
    if (global.json) writeJson(io.out, { ...stats, tip });
    else if (stats.total.sessions + stats.checkpoints.count + stats.cleanUps.length > 0) printStats(io, stats, tip);
    else io.out.write(forSamePlace(global, NO_SESSIONS));
    return 0;
  });
}

const NO_SESSIONS = 'There are no sessions yet.\nBring some in with: coppice sessions import FOLDER\n';

function printStats(io: Io, stats: SessionStats, tip: string): void {
  const { sessions, messages, sizeBytes } = stats.total;
  const all = `${plural(sessions, 'session')}, ${plural(messages, 'message')}, ${formatBytes(sizeBytes)}`;
  io.out.write(`${io.out.colour.bold(all)}\n\n`);
  printAmounts(
    io,
    'SOURCE',
    stats.bySource.map((amount) => [amount.source, amount]),
  );
  printAmounts(
    io,
    'LAST ACTIVE',
    stats.byAge.map((amount, at) => [ageLabel(stats.byAge[at - 1]?.maxHours, amount.maxHours), amount]),
  );
  printFiles(io, stats);
  printCheckpoints(io, stats);
  printReclaimable(io, stats);
  io.out.write(`${tip}\n`);
}

function printAmounts(io: Io, title: string, amounts: readonly (readonly [string, Amount])[]): void {
  const rows = amounts.map(([name, { sessions, messages, sizeBytes }]) => [
    name,
    formatCount(sessions),
    formatCount(messages),
    formatBytes(sizeBytes),
  ]);
  printTable(io, [title, 'SESSIONS', 'MESSAGES', 'SIZE'], rows);
}

function printFiles(io: Io, { byFileKind }: SessionStats): void {
  const rows = byFileKind.map(({ kind, files, sizeBytes }) => [
    FILE_LABELS[kind] ?? kind.replaceAll('-', ' '),
    formatCount(files),
    formatBytes(sizeBytes),
  ]);
  printTable(io, ['ON DISK', 'FILES', 'SIZE'], rows);
}

function printCheckpoints(io: Io, { checkpoints: { count, sizeBytes } }: SessionStats): void {
  if (count === 0) return;
  printTable(
    io,
    ['CHECKPOINTS', 'COUNT', 'SIZE'],
    [['of working directories', formatCount(count), formatBytes(sizeBytes)]],
  );
}

function printReclaimable(io: Io, { reclaimable }: SessionStats): void {
  const rows = reclaimable
    .filter(({ sessions }) => sessions > 0)
    .map(({ rule, sessions, sizeBytes }) => [RULE_LABELS[rule], formatCount(sessions), formatBytes(sizeBytes)]);
  if (rows.length === 0) io.out.write('Nothing could go under the rules in force.\n');
  else printTable(io, ['COULD GO', 'SESSIONS', 'SIZE'], rows);
}

function printTable(io: Io, titles: readonly string[], rows: readonly string[][]): void {
  const columns = titles.map((title, at) => (at === 0 ? { title, shrink: true } : { title, align: 'right' as const }));
  io.out.write(`${renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour })}\n`);
}

function ageLabel(fromHours: number | undefined, toHours: number | undefined): string {
  if (fromHours === undefined) return 'in the last hour';
  if (toHours === undefined) return 'longer ago';
  return toHours <= 24 ? `${fromHours} to ${toHours} hours ago` : `${fromHours / 24} to ${toHours / 24} days ago`;
}

/** Other kinds are called what they are in the home of their agent. */
const FILE_LABELS: Readonly<Partial<Record<string, string>>> = {
  database: 'database',
  transcript: 'transcripts',
  dump: 'request dumps',
  unacknowledged: 'unacknowledged messages',
  temporary: 'left by interrupted writes',
  unknown: 'not written by Coppice',
};

const RULE_LABELS: Record<SessionStats['reclaimable'][number]['rule'], string> = {
  empty: 'empty',
  trivial: 'only a few messages',
  retention: 'past their retention',
};
