import type { HomeOverview } from '../../app/machine/home-overview.ts';
import type { Spent } from '../../app/machine/home-spend.ts';
import type { HomeLine, MachineOverview } from '../../app/machine/machine-overview.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatBytes, formatCount, formatDate, formatTime, formatTokens, formatUsd, plural } from '../print/format.ts';
import { forSamePlace, hintCommand, type Place } from '../hint-command.ts';
import { safeText } from '../print/safe-text.ts';
import { settingWords } from './setting-words.ts';
import { type Column, renderTable } from '../print/table.ts';

/** The homes of a machine for people: a line each, what is worth knowing about some of them, and one next step. */
export function printOverview(
  { io: { out, clock }, global }: CommandInput<NoOptions>,
  overview: MachineOverview,
): void {
  const { colour } = out;
  const { lines, problems } = overview;
  const rows = [...lines.map(row), ...(lines.length > 1 ? [totalRow(overview)] : [])];
  if (rows.length > 0) out.write(`${renderTable({ columns: COLUMNS, rows, width: out.columns, colour })}\n`);
  for (const line of lines) {
    for (const sentence of about(line, clock.now()))
      out.write(`${colour.cyan(safeText(line.known.name))}: ${safeText(sentence)}\n`);
  }
  for (const { message } of problems) out.write(`${colour.yellow('Note:')} ${safeText(message)}\n`);
  const sentences = [maintenanceLine(lines), ...ignoredLine(overview)];
  for (const sentence of sentences.filter((each) => each !== '')) out.write(`${sentence}\n`);
  out.write(`${colour.bold(nextStep(global, overview))}\n`);
}

const COLUMNS: readonly Column[] = [
  { title: 'HOME', shrink: true, minWidth: 10 },
  { title: 'AGENT', shrink: true },
  { title: 'SESSIONS', align: 'right' },
  { title: 'IN USE', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'NEW IN 7 DAYS', align: 'right' },
  { title: 'CAN GO', align: 'right' },
  { title: 'TODAY', align: 'right' },
  { title: 'THIS MONTH', align: 'right' },
];

function row(line: HomeLine): string[] {
  const { name, agent } = line.known;
  if ('failure' in line) return [name, agent, 'not read'];
  const { overview } = line;
  const { sessions, active, sizeBytes, newBytes, canGo, spend } = overview;
  return [
    name,
    agent,
    formatCount(sessions),
    formatCount(active),
    formatBytes(sizeBytes),
    formatBytes(newBytes),
    formatBytes(canGo.sizeBytes),
    spentWords(spend.today),
    spentWords(spend.month),
  ];
}

function totalRow({ totals, lines }: MachineOverview): string[] {
  const { sessions, active, sizeBytes, newBytes, canGo, today, month } = totals;
  return [
    'All of them',
    plural(lines.length, 'home'),
    formatCount(sessions),
    formatCount(active),
    formatBytes(sizeBytes),
    formatBytes(newBytes),
    formatBytes(canGo.sizeBytes),
    spentWords(today),
    spentWords(month),
  ];
}

/** Money where it is known, else tokens; a dash where neither is recorded. */
function spentWords(spent: Spent | undefined): string {
  if (spent === undefined) return '-';
  const { costUsd, tokens, atLeast } = spent;
  const amount = costUsd === 0 && tokens > 0 ? `${formatTokens(tokens)} tokens` : formatUsd(costUsd);
  return atLeast === true ? `${amount} or more` : amount;
}

function about(line: HomeLine, now: EpochMs): string[] {
  const place = { home: line.known.name };
  if ('failure' in line) {
    const { message, hint } = line.failure;
    return [[message, hint === undefined ? '' : forSamePlace(place, hint)].join(' ').trim()];
  }
  const { onlyShown, problems } = line.overview;
  const doctor = hintCommand(place, 'doctor');
  return [
    ...onlyShown.slice(0, 1),
    ...(problems > 0 ? [`${plural(problems, 'problem')}; look closer with: ${doctor}`] : []),
    ...ownLines(line.known.agent, line.overview, now),
  ];
}

/** What the agent itself will do, whatever Coppice does. */
function ownLines(agent: string, { own }: HomeOverview, now: EpochMs): string[] {
  if (own === undefined) return [];
  const { soon, firstAt } = own;
  const says = `${agent} deletes by itself (${settingWords(own)})`;
  if (soon.sessions > 0 && firstAt !== undefined) {
    const when = firstAt <= now ? 'the first at its next chance' : `the first on ${formatDate(firstAt)}`;
    const what = `${plural(soon.sessions, 'session')} (${formatBytes(soon.sizeBytes)}) within 7 days, ${when}`;
    return [`${says}: ${what}. See which with: ${hintCommand({}, 'expiring')}`];
  }
  return [firstAt === undefined ? `${says}: nothing now.` : `${says}: nothing before ${formatDate(firstAt)}.`];
}

function maintenanceLine(lines: readonly HomeLine[]): string {
  if (lines.length === 0) return '';
  const on = lines.flatMap((line) => {
    const at = 'overview' in line ? line.overview.nextMaintenanceAt : undefined;
    return at === undefined ? [] : [`${line.known.name} (next ${formatTime(at)})`];
  });
  if (on.length === 0) return 'Unattended maintenance is off (sessions.auto_prune).';
  return `Unattended maintenance is on in: ${on.join(', ')}`;
}

function ignoredLine({ ignored }: MachineOverview): string[] {
  if (ignored.length === 0) return [];
  return [`Left out, because you said so: ${ignored.map(({ name }) => safeText(name)).join(', ')}`];
}

function nextStep(place: Place, { lines, totals }: MachineOverview): string {
  if (lines.length === 0) {
    const add = hintCommand({}, 'homes', 'add', 'PATH');
    return `No agent has a home here yet. Name one in another place with: ${add}\nOr bring transcripts in with: ${hintCommand({}, 'sessions', 'import', 'FOLDER')}`;
  }
  const unread = lines.find((line) => 'failure' in line);
  if (lines.length === 1 && unread !== undefined)
    return `See what is wrong with: ${hintCommand({ home: unread.known.name }, 'doctor')}`;
  const { items, sizeBytes } = totals.canGo;
  if (items > 0)
    return `${plural(items, 'item')} (${formatBytes(sizeBytes)}) can go. See which and why with: ${hintCommand(place, 'plan')}`;
  return `Nothing can go under the rules in force. See what is kept, and why, with: ${hintCommand(place, 'status')}`;
}
