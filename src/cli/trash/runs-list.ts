import { runTotalsDocument } from '../../app/documents/run-document.ts';
import type { Retention } from '../../app/retention/retention.ts';
import type { Run, RunItem, RunItemState } from '../../core/retention/run.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, formatCount, formatDate } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import type { TextOutput } from '../io.ts';
import { writeJsonList } from '../print/json-output.ts';
import { mapped } from '../mapped.ts';
import { itemsOf } from '../retention/items-of.ts';
import { requestWords } from '../retention/words.ts';
import { type Column, renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';

/** A screenful. Programs get everything. */
const SHOWN = 20;

/** `coppice runs list` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppRecords(input, async (home) => {
    const retention = await home.retention();
    if (global.json) {
      await writeJsonList(io.out, {
        name: 'runs',
        items: mapped(retention.runs(), (one) => runTotalsDocument(one, retention.items(one.id))),
      });
      return 0;
    }
    const runs: Run[] = [];
    for await (const one of retention.runs()) if (runs.push(one) > SHOWN) break;
    if (runs.length === 0) {
      io.out.write(`Nothing was removed yet.\nSee what could go with: ${hintCommand(global, 'plan')}\n`);
      return 0;
    }
    const rows: string[][] = [];
    for (const one of runs.slice(0, SHOWN)) rows.push(await row(retention, one, io.clock.now()));
    io.out.write(table(io.out, rows));
    if (runs.length > SHOWN) io.err.write('\nThere are more. See all of them with --json.\n');
    return 0;
  });
}

const COLUMNS: readonly Column[] = [
  { title: 'RUN' },
  { title: 'WHEN' },
  { title: 'WHAT', shrink: true },
  { title: 'ITEMS', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'UNDO UNTIL' },
];
const SIZE_AT = 4;
const WIDE_COLUMNS = 100;

/** On a narrow terminal what was asked for says more than the size. */
function table({ columns: width, colour }: TextOutput, rows: readonly string[][]): string {
  if (width >= WIDE_COLUMNS) return renderTable({ columns: COLUMNS, rows, width, colour });
  const narrow = rows.map((cells) => cells.toSpliced(SIZE_AT, 1));
  return renderTable({ columns: COLUMNS.toSpliced(SIZE_AT, 1), rows: narrow, width, colour });
}

async function row(
  retention: Pick<Retention, 'runs' | 'items'>,
  { id, startedAt, expiresAt, request }: Run,
  now: number,
): Promise<string[]> {
  const items = await itemsOf(retention, id);
  const removed = items.filter(({ state }) => state !== 'skipped');
  const size = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const when = formatAge(startedAt, now);
  return [
    id,
    when,
    requestWords(request),
    formatCount(removed.length),
    formatBytes(size),
    undoWords(removed, expiresAt),
  ];
}

/** Until when what was removed comes back, and how much of it where the rest does not, be it gone for good or back already. */
function undoWords(removed: readonly RunItem[], expiresAt: number): string {
  const some = (wanted: RunItemState) => removed.some(({ state }) => state === wanted);
  if (some('intended') || some('undoing')) return 'when finished';
  const part = (...wanted: readonly RunItemState[]) => {
    const count = removed.filter(({ state }) => wanted.includes(state)).length;
    return count < removed.length ? ` (${formatCount(count)} of ${formatCount(removed.length)})` : '';
  };
  if (some('trashed')) return formatDate(expiresAt) + part('trashed', 'archived');
  if (some('archived')) return `any time${part('archived')}`;
  return some('restored') ? `undone${part('restored')}` : 'no';
}
