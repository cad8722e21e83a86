import type { App } from '../../app/app.ts';
import { sessionDocument } from '../../app/documents/session-document.ts';
import type { SessionFacts } from '../../core/session.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { ListOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJsonList } from '../json-output.ts';
import { mapped } from '../mapped.ts';
import { renderTable } from '../table.ts';
import { withAppRecords } from '../with-app.ts';
import { sessionColumns } from './session-columns.ts';
import { sessionLabel } from './session-label.ts';

/** A screenful. Programs get everything unless they ask for less. */
const SHOWN = 20;

/** `coppice sessions list` */
export function run(input: CommandInput<ListOptions>): Promise<number> {
  return withAppRecords(input, async (home) => {
    if (input.global.json) {
      await writeJsonList(input.io.out, {
        name: 'sessions',
        items: mapped(home.sessions.list(input.options), sessionDocument),
      });
    } else {
      await printTable(home, input);
    }
    return 0;
  });
}

async function printTable(home: App, { options, io, global }: CommandInput<ListOptions>): Promise<void> {
  const limit = options.limit ?? SHOWN;
  const sessions: SessionFacts[] = [];
  for await (const session of home.sessions.list({ ...options, limit: limit + 1 })) sessions.push(session);
  if (sessions.length === 0) {
    io.out.write(nothingFound(options, global));
    return;
  }
  const shown = await Promise.all(
    sessions.slice(0, limit).map(async (facts) => ({ ...facts, label: await sessionLabel(home, facts) })),
  );
  const { columns, rows } = sessionColumns(shown, { width: io.out.columns, now: io.clock.now(), sort: options.sort });
  io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
  if (sessions.length > limit) io.err.write(`\nThere are more. Add --limit ${limit * 5} to see them.\n`);
}

function nothingFound(options: ListOptions, global: GlobalOptions): string {
  const filtered = Object.keys(options).some((name) => name !== 'limit' && name !== 'sort');
  if (filtered) return `No session matches. See all of them with: ${hintCommand(global, 'sessions', 'list')}\n`;
  return `There are no sessions yet.\nBring some in with: ${hintCommand(global, 'sessions', 'import', 'FOLDER')}\n`;
}
