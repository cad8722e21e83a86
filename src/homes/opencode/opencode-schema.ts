import { lstatSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import type { Problem } from '../../core/problem.ts';
import { networkFileSystem } from '../../platform/machine/file-system-facts.ts';
import { type GuestDatabase, hasColumns, readGuest } from '../../platform/sqlite/guest-database.ts';
import { foreignKeysOf } from '../../platform/sqlite/schema-parts.ts';
import { opencodeDatabases } from './opencode-places.ts';

/*
 * What Coppice removes of a home of opencode are files that no row names, so what is compared is what may name one: the tables that are read
 * for it, every table that refers to them, and the number of the newest change that opencode made to its database.
 */

/** The newest change to its database that this version of Coppice knows. Each begins with the moment in which it was written. */
const NEWEST_MIGRATION = '20260622202450_simplify_session_input';

/** What telling of sessions rests on. Any other column may come and go. */
const READ: Readonly<Record<string, readonly string[]>> = {
  session: ['id', 'directory', 'title', 'parent_id', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'data'],
};

/** What removing what no row names rests on. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  ...READ,
  session: [...(READ['session'] ?? []), 'project_id'],
  project: ['id', 'worktree'],
  migration: ['id'],
};

const KNOWN_TABLES: ReadonlySet<string> = new Set([
  'account',
  'account_state',
  'control_account',
  'credential',
  'data_migration',
  'event',
  'event_sequence',
  'message',
  'migration',
  'part',
  'permission',
  'project',
  'project_directory',
  'session',
  'session_context_epoch',
  'session_input',
  'session_message',
  'session_share',
  'todo',
  'workspace',
]);

/** Whether sessions can be read of a database. */
export function hasSessions(guest: GuestDatabase): boolean {
  return Object.entries(READ).every(([table, columns]) => hasColumns(guest, table, columns));
}

/** Why a home is only shown. `elsewhere` is the database that opencode was told to use. */
export async function opencodeReasons(home: string, elsewhere?: string): Promise<readonly Problem[]> {
  const reasons: Problem[] = [...placeReasons(home, elsewhere)];
  for (const path of opencodeDatabases(home)) reasons.push(...(linkReason(path) ?? (await databaseReasons(path))));
  return reasons;
}

async function databaseReasons(path: string): Promise<readonly Problem[]> {
  const name = basename(path);
  try {
    return await readGuest(path, async (guest) => schemaReasons(guest, name));
  } catch (error) {
    const message = `${name} cannot be read: ${errorText(error)}.`;
    return [
      reason('database-unreadable', name, [message, 'See what is wrong with: opencode db "pragma integrity_check"']),
    ];
  }
}

/** Why what belongs to a database may be somewhere else. */
export function linkReason(path: string): readonly Problem[] | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) return undefined;
  const message = `${basename(path)} is a link or no file at all, so what belongs to it may be elsewhere.`;
  const hint = 'Give Coppice the home in which the database itself is.';
  return [reason('database-linked', basename(path), [message, hint])];
}

/** What of a database is not known to be all that may name a file. */
export function schemaReasons(guest: GuestDatabase, name: string): readonly Problem[] {
  const lacking = Object.entries(COMPARED).find(([table, columns]) => !hasColumns(guest, table, columns));
  if (lacking !== undefined) {
    const message = `The table ${lacking[0]} of ${name} is missing or lacks columns that Coppice needs.`;
    return [
      reason('schema-incomplete', name, [message, 'Start opencode once, so that it brings its database up to date.']),
    ];
  }
  const newest = guest.db.prepare('SELECT max(id) FROM migration').pluck().get();
  if (typeof newest !== 'string') {
    const message = `${name} does not say which schema it has.`;
    return [
      reason('schema-unknown', name, [message, 'Start opencode once, so that it brings its database up to date.']),
    ];
  }
  if (newest > NEWEST_MIGRATION) {
    const message = `${name} has a newer schema (${newest}) than this version of Coppice knows.`;
    return [reason('schema-newer', name, [message, 'Update Coppice. Until then the home is shown and not changed.'])];
  }
  return unknownTables(guest).map((table) => {
    const message = `The table ${table} of ${name} refers to sessions or projects in a way that Coppice does not know.`;
    return reason('schema-unknown-part', name, [message, 'The home is shown and not changed.']);
  });
}

/** Tables that have nothing to do with sessions and projects are welcome. */
function unknownTables({ db }: GuestDatabase): readonly string[] {
  const children = foreignKeysOf(db)
    .filter(({ parent }) => KNOWN_TABLES.has(parent.toLowerCase()))
    .map(({ child }) => child);
  return [...new Set(children)].filter((table) => !KNOWN_TABLES.has(table.toLowerCase()));
}

/** Why a home is only shown, whatever its databases say. */
export function placeReasons(home: string, elsewhere: string | undefined): readonly Problem[] {
  const reasons: Problem[] = [];
  const kind = networkFileSystem(home);
  if (kind !== undefined) {
    const message = `It is on a network file system (${kind}), where nobody can tell whether its database is in use.`;
    reasons.push(reason('network-file-system', home, [message, 'Run Coppice on the machine that holds the disk.']));
  }
  if (elsewhere !== undefined && dirname(resolve(home, elsewhere)) !== resolve(home)) {
    const message = `opencode is told to use another database (OPENCODE_DB is ${elsewhere}), which may name what is here.`;
    const hint = 'Until that is unset the home is shown and not changed.';
    reasons.push(reason('database-elsewhere', elsewhere, [message, hint]));
  }
  return reasons;
}

function reason(kind: string, subject: string, [message, hint]: readonly [string, string]): Problem {
  return { kind, subject, message, hint };
}
