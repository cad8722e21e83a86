import { sessionDocument } from '../../app/documents/session-document.ts';
import type { SessionsQuery } from '../../app/sessions/list-query.ts';
import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import type { ListOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import type { OpenKnownHome } from '../homes/open-homes.ts';
import { type Listing, sessionsOfMany } from '../homes/sessions-of-many.ts';
import { writeJson, writeJsonList } from '../print/json-output.ts';
import { mapped } from '../mapped.ts';
import { renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';
import { queryFrom } from './selection-from.ts';
import { sessionColumns } from './session-columns.ts';
import { sessionLabel } from './session-label.ts';

/** A screenful. Programs get everything unless they ask for less. */
const SHOWN = 20;

/** `coppice sessions list` */
export function run(input: CommandInput<ListOptions>): Promise<number> {
  return withAppRecords(input, (home) => printList({ sessions: home.sessions, homeOf: () => home }, input));
}

/** The same of several homes, in one list. */
export async function runOver(homes: readonly OpenKnownHome[], input: CommandInput<ListOptions>): Promise<number> {
  return printList(sessionsOfMany(homes, input.io), input);
}

async function printList(listing: Listing, input: CommandInput<ListOptions>): Promise<number> {
  const { options, global } = input;
  if (options.cursor !== undefined && !global.json) {
    throw new Failure('usage', '--cursor goes through a list page by page, which is for programs.', {
      hint: 'Add --json, or leave --cursor out and add --limit N to see more.',
    });
  }
  if (global.json) await printJson(listing, input);
  else await printTable(listing, input);
  return 0;
}

/** Which sessions, in which order. */
function asked(input: CommandInput<ListOptions>): SessionsQuery {
  const { active, archived, sort } = input.options;
  return {
    ...queryFrom(input),
    ...(active !== undefined && { active }),
    ...(archived !== undefined && { archived }),
    ...(sort !== undefined && { sort }),
  };
}

/** Programs get everything, or a page that says where the next one begins; how many there are either way. */
async function printJson({ sessions }: Listing, input: CommandInput<ListOptions>): Promise<void> {
  const { io, options } = input;
  const { limit, cursor } = options;
  const query = asked(input);
  if (limit === undefined && cursor === undefined) {
    const { total } = await sessions.page({ ...query, limit: 1 });
    const items = mapped(sessions.list(query), sessionDocument);
    await writeJsonList(io.out, { name: 'sessions', items, fields: { total } });
    return;
  }
  const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
  const { sessions: found, ...about } = await sessions.page({ ...query, ...page });
  writeJson(io.out, { ...about, sessions: found.map(sessionDocument) });
}

async function printTable({ sessions: all, homeOf }: Listing, input: CommandInput<ListOptions>): Promise<void> {
  const { options, io, global } = input;
  const limit = options.limit ?? SHOWN;
  const sessions: SessionFacts[] = [];
  for await (const session of all.list({ ...asked(input), limit: limit + 1 })) sessions.push(session);
  if (sessions.length === 0) {
    io.out.write(nothingFound(options, global));
    return;
  }
  const found = sessions.slice(0, limit);
  const shortIds = await all.shortIds(found.map(({ id }) => id));
  const shown = await Promise.all(
    found.map(async (facts) => ({
      ...facts,
      label: await sessionLabel(homeOf(facts), facts),
      shortId: shortIds.get(facts.id) ?? facts.id,
    })),
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
