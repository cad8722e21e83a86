import type { App } from '../../app/app.ts';
import { sessionDocument } from '../../app/documents/session-document.ts';
import type { SessionsQuery } from '../../app/sessions/list-query.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { ListOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJsonList } from '../json-output.ts';
import { mapped } from '../mapped.ts';
import { renderTable } from '../table.ts';
import { withAppRecords } from '../with-app.ts';
import { queryFrom } from './selection-from.ts';
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
        items: mapped(home.sessions.list(asked(input)), sessionDocument),
      });
    } else {
      await printTable(home, input);
    }
    return 0;
  });
}

/** Which sessions, in which order. The two ways to say from when and until when both hold. */
function asked(input: CommandInput<ListOptions>): SessionsQuery {
  const { active, archived, limit, sort, since: atLeast = 0, before: below = Number.POSITIVE_INFINITY } = input.options;
  const narrowed = queryFrom(input);
  const since = Math.max(atLeast, narrowed?.since ?? 0);
  const before = Math.min(below, narrowed?.before ?? Number.POSITIVE_INFINITY);
  return {
    ...narrowed,
    ...(since > 0 && { since }),
    ...(Number.isFinite(before) && { before }),
    ...(active !== undefined && { active }),
    ...(archived !== undefined && { archived }),
    ...(limit !== undefined && { limit }),
    ...(sort !== undefined && { sort }),
  };
}

async function printTable(home: App, input: CommandInput<ListOptions>): Promise<void> {
  const { options, io, global } = input;
  const limit = options.limit ?? SHOWN;
  const sessions: SessionFacts[] = [];
  for await (const session of home.sessions.list({ ...asked(input), limit: limit + 1 })) sessions.push(session);
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
