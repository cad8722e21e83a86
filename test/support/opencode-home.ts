import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { DAY_MS, type EpochMs } from '../../src/core/time.ts';
import { FILE_NOW, putFile } from './file-home-scene.ts';
import { putLeftDatabase } from './guest-home.ts';

/** The shape of the database of opencode 1.18, as far as it matters here. */
const SCHEMA = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, time_created integer NOT NULL, sandboxes text NOT NULL);
  CREATE TABLE project_directory (project_id text NOT NULL REFERENCES project(id) ON DELETE CASCADE, directory text NOT NULL);
  CREATE TABLE session (
    id text PRIMARY KEY, project_id text NOT NULL REFERENCES project(id) ON DELETE CASCADE, parent_id text, directory text NOT NULL,
    title text NOT NULL, version text NOT NULL, model text, time_created integer NOT NULL, time_updated integer NOT NULL,
    time_compacting integer, time_archived integer
  );
  CREATE TABLE message (
    id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id) ON DELETE CASCADE, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL
  );
  CREATE TABLE part (
    id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id) ON DELETE CASCADE, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL
  );
  CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer NOT NULL);
  CREATE TABLE event (id text PRIMARY KEY, aggregate_id text NOT NULL REFERENCES event_sequence(aggregate_id), seq integer NOT NULL, data text NOT NULL);
  CREATE TABLE account (id text PRIMARY KEY, access_token text NOT NULL);
  CREATE TABLE migration (id text PRIMARY KEY, time_completed integer NOT NULL);
  CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
`;

export const PROJECT = 'a'.repeat(40);
export const GONE_PROJECT = 'b'.repeat(40);
export const LAST_MIGRATION = '20260622202450_simplify_session_input';

export interface SpokenMessage {
  readonly id: string;
  readonly at: EpochMs;
  readonly role?: 'user' | 'assistant';
  readonly text?: string;
  /** When the answer was complete; never, when absent. */
  readonly doneAt?: EpochMs;
  readonly input?: number;
  /** Names of outputs that a tool of it left in files. */
  readonly outputs?: readonly string[];
}

export interface OpencodeSessionRow {
  readonly id: string;
  readonly title?: string;
  readonly parent?: string;
  readonly directory?: string;
  readonly at: EpochMs;
  readonly updatedAt?: EpochMs;
  readonly archivedAt?: EpochMs;
  readonly messages?: readonly SpokenMessage[];
}

function prepareOpencode(db: Database): void {
  db.pragma('foreign_keys = ON');
  db.exec(SCHEMA);
  db.prepare('INSERT INTO migration VALUES (?, 1)').run(LAST_MIGRATION);
  db.prepare(`INSERT INTO project VALUES (?, '/home/ada/work', 'git', 1, '[]')`).run(PROJECT);
}

export function putSession(db: Database, session: OpencodeSessionRow): void {
  const { id, title = `About ${id}`, parent, directory = '/home/ada/work', at, updatedAt = at, archivedAt } = session;
  db.prepare(
    `INSERT INTO session (id, project_id, parent_id, directory, title, version, model, time_created, time_updated, time_archived)
     VALUES (?, ?, ?, ?, ?, '1.18.33', '{"id":"some-model","providerID":"some"}', ?, ?, ?)`,
  ).run(id, PROJECT, parent ?? null, directory, title, at, updatedAt, archivedAt ?? null);
  for (const message of session.messages ?? []) putMessage(db, id, message);
}

export function putMessage(db: Database, session: string, message: SpokenMessage): void {
  const { id, at, role = 'user', text = `Said in ${id}`, doneAt, input = 100, outputs = [] } = message;
  const time = { created: at, ...(doneAt !== undefined && { completed: doneAt }) };
  const tokens = { input, output: 10, reasoning: 2, cache: { read: 5, write: 0 } };
  const answer = { role, modelID: 'some-model', cost: 0.001, tokens, time };
  const data = role === 'user' ? { role, time } : answer;
  db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(id, session, at, at, JSON.stringify(data));
  putPart(db, { id: `prt_${id}_1`, message: id, session, data: { type: 'text', text } });
  for (const [index, name] of outputs.entries()) {
    const metadata = { outputPath: `/home/ada/.local/share/opencode/tool-output/${name}` };
    const state = { status: 'completed', input: { command: 'seq' }, output: 'shortened', metadata, time: { end: at } };
    const part = { type: 'tool', tool: 'bash', callID: `call_${index}`, state };
    putPart(db, { id: `prt_${id}_tool_${index}`, message: id, session, data: part });
  }
}

interface PartRow {
  readonly id: string;
  readonly message: string;
  readonly session: string;
  readonly data: object;
}

function putPart(db: Database, { id, message, session, data }: PartRow): void {
  db.prepare('INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)').run(id, message, session, JSON.stringify(data));
}

export interface PutDatabase {
  readonly name?: string;
  readonly write: (db: Database) => void;
  /** All of it stays in the log, as its program leaves it, and nothing in the database itself. */
  readonly inLog?: boolean;
  readonly at?: EpochMs;
}

/** Puts a database into a home as its program leaves it, with an old time: without the memory that its processes share. */
export function putDatabase(
  home: string,
  { name = 'opencode.db', write, inLog = false, at = LONG_AGO }: PutDatabase,
): void {
  const all = (db: Database) => {
    prepareOpencode(db);
    write(db);
  };
  putLeftDatabase(home, { path: name, write: all, at, inLog });
}

export const LONG_AGO = FILE_NOW - 40 * DAY_MS;

/** A store of snapshots, as git makes one for opencode. */
export function putStore(home: string, project: string, { worktree = '/home/ada/gone', at = LONG_AGO } = {}): void {
  const store = `snapshot/${project}/${'c'.repeat(40)}`;
  putFile(
    home,
    `${store}/config`,
    `[core]\n\tbare = false\n\tworktree = ${worktree}\n[feature]\n\tmanyFiles = true\n`,
    at,
  );
  putFile(home, `${store}/HEAD`, 'ref: refs/heads/master\n', at);
  putFile(home, `${store}/objects/1b/${'0'.repeat(38)}`, 'a tree', at);
  mkdirSync(join(home, store, 'refs'), { recursive: true });
}

/** Writes into a database that is there, and leaves it with an old time. */
export function changeDatabase(home: string, change: (db: Database) => void, name = 'opencode.db'): void {
  const path = join(home, name);
  const db = new BetterSqlite3(path);
  try {
    change(db);
  } finally {
    db.close();
  }
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) utimesSync(path + suffix, LONG_AGO / 1000, LONG_AGO / 1000);
}
