import { runDocument, runItemDocument } from '../../app/documents/run-document.ts';
import { findRun } from '../../app/retention/find-run.ts';
import type { Run, RunItem } from '../../core/retention/run.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatBytes, formatDate, formatTime, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJsonList } from '../print/json-output.ts';
import { mapped } from '../mapped.ts';
import { itemsOf } from '../retention/items-of.ts';
import { ACTION_WORDS, REASON_WORDS, STATE_WORDS } from '../../core/retention/words.ts';
import { requestWords } from '../retention/words.ts';
import { safeText } from '../print/safe-text.ts';
import { type Column, renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';

/** `coppice runs show RUN` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { args, io, global } = input;
  return withAppRecords(input, async (home) => {
    const retention = await home.retention();
    const found = await findRun(retention, args[0] ?? '');
    if (global.json)
      await writeJsonList(io.out, {
        name: 'items',
        fields: runDocument(found),
        items: mapped(retention.items(found.id), runItemDocument),
      });
    else printRun(input, found, await itemsOf(retention, found.id));
    return 0;
  });
}

function printRun(input: CommandInput<NoOptions>, shown: Run, items: readonly RunItem[]): void {
  const { io, global } = input;
  const { id, startedAt, finishedAt, request } = shown;
  const { out } = io;
  out.write(`${out.colour.bold(`Run ${id}`)}\n`);
  out.write(`${safeText(requestWords(request))}, ${plural(items.length, 'item')}, began ${formatTime(startedAt)}\n`);
  if (finishedAt === undefined)
    out.write(`It is not finished: a command is at it, or was cut short. ${finishWith(global)}\n`);
  if (items.length > 0)
    out.write(`\n${renderTable({ columns: COLUMNS, rows: items.map(row), width: out.columns, colour: out.colour })}`);
  out.write(nextSteps(input, shown, items));
}

/** What can be done about it now; nothing where all of it is back, or gone for good. */
function nextSteps(
  { io, global }: CommandInput<NoOptions>,
  { id, finishedAt, expiresAt }: Run,
  items: readonly RunItem[],
): string {
  const states = new Set(items.map(({ state }) => state));
  const stuck = items.filter(({ state }) => state === 'purging').length;
  const steps = [
    ...(states.has('trashed')
      ? [`${undoWords(expiresAt, io.clock.now())}: ${hintCommand(global, 'undo', id)}`]
      : states.has('archived')
        ? [`Undo with: ${hintCommand(global, 'undo', id)}`]
        : []),
    ...(stuck > 0
      ? [
          `${plural(stuck, 'item')} of it could not be removed for good yet. Try again with: ${hintCommand(global, 'trash', 'empty', id)}`,
        ]
      : []),
    ...(finishedAt !== undefined && (states.has('intended') || states.has('undoing')) ? [finishWith(global)] : []),
  ];
  return steps.map((step) => `\n${step}\n`).join('');
}

function finishWith(global: GlobalOptions): string {
  return `What was cut short is finished with: ${hintCommand(global, 'doctor', '--repair')}`;
}

/** What is over its time can be given back for as long as nobody has come who removes it. */
function undoWords(expiresAt: EpochMs, now: EpochMs): string {
  return expiresAt > now
    ? `Undo until ${formatDate(expiresAt)}`
    : 'Its time is over and the next change removes it; undo before that';
}

const COLUMNS: readonly Column[] = [
  { title: 'ITEM', shrink: true, minWidth: 20 },
  { title: 'SIZE', align: 'right' },
  { title: 'ACTION' },
  { title: 'WHY', shrink: true },
  { title: 'NOW', shrink: true, minWidth: 13 },
];

function row({ item, sizeBytes, action, reason, state, detail }: RunItem): string[] {
  const now = detail === undefined ? STATE_WORDS[state] : `${STATE_WORDS[state]}: ${detail}`;
  return [item.id, formatBytes(sizeBytes), ACTION_WORDS[action], REASON_WORDS[reason], now];
}
