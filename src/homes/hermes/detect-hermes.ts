import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import type { Problem } from '../../core/problem.ts';
import { errorCode } from '../../platform/error-code.ts';
import { networkFileSystem } from '../../platform/machine/file-system-facts.ts';
import { hasColumns } from '../../platform/sqlite/guest-database.ts';
import { quoted } from '../../platform/sqlite/row-lines.ts';
import { type HermesDatabase, readHermes } from './database/hermes-connection.ts';
import { unknownParts } from './database/unknown-parts.ts';

/** A Hermes home and what may be done with it. `report` means that it is shown and never changed; the reasons say why. */
export interface HermesDetection {
  readonly mode: 'manage' | 'report';
  readonly reasons: readonly Problem[];
  /** Absent when the database could not be read at all. */
  readonly shape?: HermesShape;
}

export interface HermesShape {
  readonly schemaVersion: number | undefined;
  /** `inline` is the older search index, which holds a copy of every text. */
  readonly searchIndex: 'external' | 'inline' | 'none';
  /** What the database says of itself; a home at rest does not tell. */
  readonly journal: 'wal' | 'rollback' | 'at-rest';
}

/** The newest schema that this driver was tried against. */
const NEWEST_SCHEMA = 30;

/** Looks whether a directory is a Hermes home, and which shape of it. Undefined when it is something else. */
export async function detectHermes(home: string): Promise<HermesDetection | undefined> {
  const file = lookAt(join(home, 'state.db'));
  if (file?.isSymbolicLink() === true && looksLikeHermes(home)) return { mode: 'report', reasons: [linked()] };
  if (file?.isFile() !== true) return undefined;
  try {
    return await readHermes(home, async (hermes) => inspectHermes(home, hermes));
  } catch (error) {
    // Without its database only the rest of the directory can tell whose home it is.
    return looksLikeHermes(home) ? { mode: 'report', reasons: [unreadable(error)] } : undefined;
  }
}

/** The same through an open database, so that whoever is about to write can ask again. */
export function inspectHermes(
  home: string,
  hermes: HermesDatabase & { readonly quiet?: boolean },
): HermesDetection | undefined {
  if (!hermes.tables.has('schema_version') || !hermes.tables.has('state_meta')) return undefined;
  const shape = readShape(hermes);
  const known = [...schemaReasons(hermes, shape), ...indexReasons(hermes), ...placeReasons(home)];
  // A shape that is not known at all would only be told once more, part by part.
  const reasons = known.length === 0 ? unknownParts(hermes) : known;
  return { mode: reasons.length === 0 ? 'manage' : 'report', reasons, shape };
}

/** What cannot be looked at, such as a path through a file, is no home of Hermes: whoever opens it says what is wrong. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function looksLikeHermes(home: string): boolean {
  return TRAITS.some((name) => lstatSync(join(home, name), { throwIfNoEntry: false }) !== undefined);
}

/** What Hermes writes and Coppice's own homes never hold. */
const TRAITS = ['SOUL.md', 'skills', 'memories', 'cron/jobs.json', 'sessions/sessions.json', 'sessions/saved'];

function readShape({ db, quiet }: HermesDatabase & { readonly quiet?: boolean }): HermesShape {
  const version = db
    .prepare<[], { version: unknown }>('SELECT max(version) AS version FROM schema_version')
    .get()?.version;
  const index = db
    .prepare<[], { sql: string }>(`SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'messages_fts'`)
    .get();
  const journal = db.pragma('journal_mode', { simple: true }) === 'wal' ? 'wal' : 'rollback';
  return {
    schemaVersion: typeof version === 'number' ? version : undefined,
    searchIndex: index === undefined ? 'none' : index.sql.includes('tool_name') ? 'external' : 'inline',
    journal: quiet === true ? 'at-rest' : journal,
  };
}

/** What reading and deleting rest on. Any other column may come and go. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  sessions: ['id', 'source', 'parent_session_id', 'started_at', 'ended_at', 'end_reason', 'model_config'],
  messages: ['id', 'session_id', 'content', 'timestamp'],
  state_meta: ['key', 'value'],
};

function schemaReasons(hermes: HermesDatabase, { schemaVersion }: HermesShape): Problem[] {
  const reasons: Problem[] = [];
  if (schemaVersion === undefined) {
    const message = 'Its database does not say which schema it has.';
    reasons.push(reason('schema-unknown', message, 'Start Hermes once, so that it brings its database up to date.'));
  } else if (schemaVersion > NEWEST_SCHEMA) {
    const message = `Its database has schema ${schemaVersion}; this version of Coppice knows schemas up to ${NEWEST_SCHEMA}.`;
    reasons.push(reason('schema-newer', message, 'Update Coppice. Until then the home is shown and not changed.'));
  }
  for (const [table, columns] of Object.entries(NEEDED)) {
    if (hasColumns(hermes, table, columns)) continue;
    const message = `Its table ${table} is missing or lacks columns that Coppice needs.`;
    reasons.push(reason('schema-incomplete', message, 'Start Hermes once, so that it brings its database up to date.'));
  }
  return reasons;
}

/** An index that is being rebuilt, is known to be stale, or cannot be used by this SQLite: deleting messages would break it. */
function indexReasons(hermes: HermesDatabase): Problem[] {
  const { db } = hermes;
  const marks = hasColumns(hermes, 'state_meta', ['key'])
    ? db
        .prepare<[], { key: string }>('SELECT key FROM state_meta')
        .all()
        .map(({ key }) => key)
        .filter((key) => /^fts_(rebuild_|cjk_rebuild_|teardown_|stale$|cjk_stale$)/.test(key))
    : [];
  const leftovers = [...hermes.tables.keys()].filter((name) => name.startsWith('fts_v22_trash_'));
  const reasons = [...marks, ...leftovers].slice(0, 1).map((mark) => {
    const message = `Its search index is being rebuilt or is out of date (${mark}).`;
    return reason(
      'index-unfinished',
      message,
      'Let Hermes finish: run hermes sessions optimize-storage, then try again.',
    );
  });
  return [...reasons, ...tokenizerReasons(hermes)];
}

function tokenizerReasons({ db }: HermesDatabase): Problem[] {
  const indexes = db
    .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'`)
    .all();
  return indexes.flatMap(({ name }) => {
    try {
      db.prepare(`SELECT rowid FROM ${quoted(name)} LIMIT 0`);
      return [];
    } catch (error) {
      const message = `Its search index ${name} needs something that Coppice's SQLite does not have: ${errorText(error)}.`;
      const hint = 'The home is shown and not changed. Use hermes sessions prune instead.';
      return [reason('index-unusable', message, hint)];
    }
  });
}

function placeReasons(home: string): Problem[] {
  const elsewhere = lookAt(join(home, 'sessions'))?.isSymbolicLink() === true ? [linkedFiles()] : [];
  const kind = networkFileSystem(home);
  if (kind === undefined) return elsewhere;
  const message = `It is on a network file system (${kind}), where the locks of its database cannot be relied on.`;
  return [...elsewhere, reason('network-file-system', message, 'Run Coppice on the machine that holds the disk.')];
}

function linked(): Problem {
  const message = 'Its database is a link to another place, and what belongs beside it is there.';
  return reason('database-linked', message, 'Give Coppice the home in which the database itself is.');
}

function linkedFiles(): Problem {
  const message = 'Its folder sessions is a link to another place, so its files cannot be put aside safely.';
  return reason('files-linked', message, 'Put the folder itself where the link is. Until then the home is shown.');
}

function unreadable(error: unknown): Problem {
  const unfinished = errorCode(error) === 'SQLITE_READONLY_ROLLBACK';
  const hint = unfinished
    ? 'A write was interrupted. Start Hermes once, so that it finishes or takes back that write.'
    : 'Run hermes sessions repair --check-only to see what is wrong.';
  return reason('database-unreadable', `Its database cannot be read: ${errorText(error)}.`, hint);
}

function reason(kind: string, message: string, hint: string): Problem {
  return { kind, subject: 'state.db', message, hint };
}
