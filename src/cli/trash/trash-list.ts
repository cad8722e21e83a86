import type { AppRetention } from '../../app/app.ts';
import type { Run, RunItem } from '../../core/retention/run.ts';
import { isoTime } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatBytes, formatCount, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJsonList } from '../print/json-output.ts';
import { itemsOf } from '../retention/items-of.ts';
import { ACTION_WORDS, KIND_WORDS, REASON_WORDS } from '../../core/retention/words.ts';
import { requestWords } from '../retention/words.ts';
import { safeText } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';
import { trashTime } from './trash-time.ts';

/** Items shown per run; `--json` has all of them. */
const SHOWN = 10;

/** `coppice trash list` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppRecords(input, async (home) => {
    const retention = await home.retention();
    if (global.json) {
      await writeJsonList(io.out, { name: 'items', items: documents(retention) });
      return 0;
    }
    let [found, restorable] = [false, false];
    for await (const one of retention.runs()) {
      const items = await itemsOf(retention, one.id, 'trashed', 'purging');
      if (items.length === 0) continue;
      printRun(input, one, items);
      found = true;
      restorable ||= items.some(({ state }) => state === 'trashed');
    }
    if (!found) io.out.write('The trash is empty.\n');
    if (restorable) io.out.write(`Give one back with: ${hintCommand(global, 'trash', 'restore', 'RUN', 'ID')}\n`);
    return 0;
  });
}

async function* documents(retention: AppRetention) {
  for await (const { id, startedAt, expiresAt } of retention.runs()) {
    for await (const { item, title, action, reason, sizeBytes, state } of retention.items(id)) {
      if (state !== 'trashed' && state !== 'purging') continue;
      const times = { removedAt: isoTime(startedAt), expiresAt: isoTime(expiresAt) };
      yield { run: id, ...item, ...(title !== undefined && { title }), action, reason, sizeBytes, state, ...times };
    }
  }
}

function printRun({ io, global }: CommandInput<NoOptions>, filler: Run, items: readonly RunItem[]): void {
  const { out, clock } = io;
  const size = formatBytes(items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const when = `${formatAge(filler.startedAt, clock.now())}, ${trashTime(filler.expiresAt, clock.now())}`;
  out.write(`${out.colour.bold(`Run ${filler.id}`)}\n${safeText(requestWords(filler.request))}\n`);
  out.write(`${plural(items.length, 'item')}, ${size}, ${when}\n`);
  const rows = items
    .slice(0, SHOWN)
    .map(({ item, title, sizeBytes, action, reason }) => [
      item.id,
      title ?? KIND_WORDS[item.kind],
      formatBytes(sizeBytes),
      ACTION_WORDS[action],
      REASON_WORDS[reason],
    ]);
  const columns = [
    { title: 'ITEM', shrink: true, minWidth: 20 },
    { title: 'TITLE', shrink: true, minWidth: 12 },
    { title: 'SIZE', align: 'right' as const },
    { title: 'ACTION' },
    { title: 'WHY', shrink: true, minWidth: 12 },
  ];
  out.write(renderTable({ columns, rows, width: out.columns, colour: out.colour }));
  const more = items.length - rows.length;
  if (more > 0) out.write(`… and ${formatCount(more)} more: ${hintCommand(global, 'runs', 'show', filler.id)}\n`);
  const purging = items.filter(({ state }) => state === 'purging').length;
  if (purging > 0)
    out.write(
      `${plural(purging, 'item')} of these could not be removed for good yet. Try again with: ${hintCommand(global, 'trash', 'empty', filler.id)}\n`,
    );
  out.write('\n');
}
