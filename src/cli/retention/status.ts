import { statusDocument } from '../../app/documents/status-document.ts';
import type { HomeStatus, RestSize, StatusClass } from '../../app/home-status.ts';
import type { KeepReason } from '../../core/retention/plan.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, formatCount, formatDate, formatTime, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';
import { type Column, renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';
import { shortfallSentence } from '../../core/retention/shortfall-sentence.ts';
import { waitingLines } from './waiting-lines.ts';
import { withScanProgress } from './with-scan-progress.ts';
import { CLASS_WORDS, REASON_WORDS } from '../../core/retention/words.ts';
import { requestWords } from './words.ts';

/** Problems shown; `--json` has all of them. */
const SHOWN = 5;

/** `coppice status`: what the home keeps, what protects it, and what could go. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppToLook(input, async (home) => {
    const status = await withScanProgress(io, (options) => home.status(options));
    if (global.json) writeJson(io.out, statusDocument(status));
    else printStatus(input, status);
    return 0;
  });
}

function printStatus(input: CommandInput<NoOptions>, status: HomeStatus): void {
  const { out } = input.io;
  const { colour } = out;
  for (const note of status.notes) out.write(`${colour.yellow('Note:')} ${safeText(note)}\n`);
  const undoUntil = undoUntilWords(status, input.io.clock.now());
  const classes = status.classes.map((one) => classRow(one, undoUntil));
  const rows = [...classes, ...status.rest.map(restRow), totalRow(status)];
  out.write(`${renderTable({ columns: COLUMNS, rows, width: out.columns, colour })}\n`);
  const stay = status.classes.filter(({ name }) => name !== 'trash').flatMap(stayRows);
  if (stay.length > 0) out.write(`${renderTable({ columns: STAY_COLUMNS, rows: stay, width: out.columns, colour })}\n`);
  printFiles(input, status);
  for (const shortfall of status.shortfalls) out.write(`${colour.red(safeText(shortfallSentence(shortfall)))}\n`);
  printOversized(input, status);
  printProblems(input, status);
  out.write(`${lastRunLine(input, status)}\n${maintenanceLine(input, status)}\n`);
  for (const line of waitLines(input, status)) out.write(`${line}\n`);
  printTrash(input, status);
  out.write(`${colour.bold(nextStep(input, status))}\n`);
}

const COLUMNS: readonly Column[] = [
  { title: 'CLASS', shrink: true },
  { title: 'ITEMS', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'HELD', align: 'right' },
  { title: 'CAN GO NOW', align: 'right' },
  { title: 'UNDO UNTIL' },
  { title: 'CAP', align: 'right' },
];

function classRow({ name, items, sizeBytes, kept, reclaimable }: StatusClass, undoUntil: string): string[] {
  const held = Object.entries(kept).reduce((sum, [reason, count]) => sum + (UNHELD.has(reason) ? 0 : count), 0);
  return [
    CLASS_WORDS[name],
    formatCount(items),
    formatBytes(sizeBytes),
    formatCount(held),
    formatBytes(reclaimable.sizeBytes),
    name === 'trash' ? undoUntil : '',
  ];
}

function undoUntilWords({ trashUntil }: HomeStatus, now: EpochMs): string {
  if (trashUntil === undefined) return '';
  return trashUntil.last > now ? formatDate(trashUntil.last) : 'over';
}

function restRow({ name, sizeBytes }: RestSize): string[] {
  return [CLASS_WORDS[name], '', formatBytes(sizeBytes)];
}

/** Reasons to stay that protect nothing: time alone lets go of these. */
const UNHELD: ReadonlySet<string> = new Set<KeepReason>(['not-expired', 'in-grace', 'not-selected']);

function totalRow({ classes, disk }: HomeStatus): string[] {
  const canGo = classes.reduce((sum, { reclaimable }) => sum + reclaimable.sizeBytes, 0);
  const cap = disk.maxBytes === undefined ? 'none' : formatBytes(disk.maxBytes);
  return ['The whole home', '', formatBytes(disk.usedBytes), '', formatBytes(canGo), '', cap];
}

const STAY_COLUMNS: readonly Column[] = [
  { title: 'STAY', shrink: true },
  { title: 'ITEMS', align: 'right' },
  { title: 'WHY', shrink: true },
];

function stayRows({ name, kept }: StatusClass): string[][] {
  const counts = Object.entries(kept) as [KeepReason, number][];
  return counts
    .toSorted((a, b) => b[1] - a[1])
    .map(([reason, count]) => [CLASS_WORDS[name], formatCount(count), REASON_WORDS[reason]]);
}

/** What an agent of another kind keeps beside its sessions: only the large, because there are many sorts. */
function printFiles({ io: { out } }: CommandInput<NoOptions>, { files = [] }: HomeStatus): void {
  const rows = files
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .slice(0, SHOWN)
    .map(({ name, files: count, sizeBytes, unbounded }) => [
      name.replaceAll('-', ' '),
      formatCount(count),
      formatBytes(sizeBytes),
      unbounded ? 'never' : '',
    ]);
  if (rows.length === 0) return;
  out.write(`${renderTable({ columns: FILE_COLUMNS, rows, width: out.columns, colour: out.colour })}\n`);
}

const FILE_COLUMNS: readonly Column[] = [
  { title: 'LARGEST FILES', shrink: true },
  { title: 'FILES', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'CUT BACK BY ITS AGENT' },
];

function printProblems({ io: { out }, global }: CommandInput<NoOptions>, { problems }: HomeStatus): void {
  if (problems.length === 0) return;
  out.write(
    `${out.colour.yellow(plural(problems.length, 'problem'))}; look closer with: ${hintCommand(global, 'doctor')}\n`,
  );
  for (const { message } of problems.slice(0, SHOWN)) out.write(`  ${safeText(message)}\n`);
  if (problems.length > SHOWN) out.write(`  … and ${formatCount(problems.length - SHOWN)} more\n`);
}

function printOversized({ io: { out }, global }: CommandInput<NoOptions>, { oversized }: HomeStatus): void {
  const [largest] = oversized;
  if (largest === undefined) return;
  const { id, title, messageCount, sizeBytes, maxMessages, maxBytes } = largest;
  const open = oversized.filter((session) => session.open).length;
  const allowed = [maxMessages && plural(maxMessages, 'message'), maxBytes && formatBytes(maxBytes)];
  const are = oversized.length === 1 ? 'session is' : 'sessions are';
  const lines = [
    out.colour.yellow(
      `${formatCount(oversized.length)} ${are} larger than the rules allow, ${formatCount(open)} still open.`,
    ),
    `  The largest is ${safeText(title ?? id)} (${plural(messageCount, 'message')}, ${formatBytes(sizeBytes)}); allowed are ${allowed.filter(Boolean).join(' and ')}.`,
    `  Nothing is removed for it. Go on in a new session, or allow more with sessions.max_messages and sessions.max_mb.`,
    `  See the largest with: ${hintCommand(global, 'sessions', 'list', '--sort', 'size')}`,
  ];
  out.write(`${lines.join('\n')}\n`);
}

function printTrash({ io: { out, clock }, global }: CommandInput<NoOptions>, status: HomeStatus): void {
  const { classes, trashUntil } = status;
  const { sizeBytes = 0 } = classes.find(({ name }) => name === 'trash') ?? {};
  if (sizeBytes === 0 || trashUntil === undefined) return;
  const size = formatBytes(sizeBytes);
  const isOver = trashUntil.last <= clock.now();
  const empty = hintCommand(global, 'trash', 'empty', isOver ? '--expired' : '--all');
  const until = formatDate(trashUntil.last);
  out.write(
    isOver
      ? `In the trash, over its time: ${size}. The next change frees it, or: ${empty}\n`
      : `In the trash until ${until}: ${size}. Free it with: ${empty}\n`,
  );
}

function maintenanceLine({ io }: CommandInput<NoOptions>, { nextMaintenanceAt }: HomeStatus): string {
  if (nextMaintenanceAt === undefined) return 'Unattended maintenance is off (sessions.auto_prune).';
  const due = nextMaintenanceAt <= io.clock.now();
  return due
    ? 'Maintenance is due at the next start of an agent.'
    : `Next maintenance: ${formatTime(nextMaintenanceAt)}`;
}

function waitLines({ global }: CommandInput<NoOptions>, { waiting, heldSince }: HomeStatus): string[] {
  if (waiting !== undefined) return waitingLines(global, waiting);
  if (heldSince === undefined) return [];
  const release = hintCommand(global, 'maintain', 'release');
  return [`You hold unattended maintenance since ${formatDate(heldSince)}. Let it go on with: ${release}`];
}

function lastRunLine({ io, global }: CommandInput<NoOptions>, { lastRun }: HomeStatus): string {
  if (lastRun === undefined) return 'Nothing was removed yet.';
  const when = formatAge(lastRun.startedAt, io.clock.now());
  return `Last run: ${when}, ${safeText(requestWords(lastRun.request))}. See all with: ${hintCommand(global, 'runs')}`;
}

function nextStep({ global }: CommandInput<NoOptions>, { classes, files }: HomeStatus): string {
  const items = classes.reduce((sum, { reclaimable }) => sum + reclaimable.items, 0);
  if (items > 0) return `${plural(items, 'item')} can go. See which and why with: ${hintCommand(global, 'plan')}`;
  if (classes.every((one) => one.items === 0) && files === undefined)
    return `There are no sessions yet. Bring some in with: ${hintCommand(global, 'sessions', 'import', 'FOLDER')}`;
  const rules = hintCommand(global, 'config', 'show', '--effective');
  return `Nothing can go under the rules in force.\nSee the rules with: ${rules}`;
}
