import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';

/** What of a thread stands in databases. */
export interface ThreadRowSpec {
  readonly id: string;
  /** The ids of its rollouts. */
  readonly rollouts?: readonly string[];
  readonly path: string;
  readonly title: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly parentId?: string;
}

const STATE = `
  CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE thread_sections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE threads (
    id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, title TEXT NOT NULL, created_at INTEGER NOT NULL, created_at_ms INTEGER,
    recency_at INTEGER NOT NULL DEFAULT 0, recency_at_ms INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0,
    is_pinned INTEGER NOT NULL DEFAULT 0, project_id TEXT REFERENCES projects(id) ON DELETE SET NULL,
    thread_section_id TEXT REFERENCES thread_sections(id) ON DELETE SET NULL);
  CREATE INDEX idx_threads_archived ON threads(archived);
  CREATE TABLE thread_dynamic_tools (
    thread_id TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(thread_id, position),
    FOREIGN KEY(thread_id) REFERENCES threads(id) ON DELETE CASCADE);
  CREATE TABLE thread_read_receipts (
    thread_id TEXT PRIMARY KEY NOT NULL REFERENCES threads(id) ON DELETE CASCADE, revision TEXT NOT NULL);
  CREATE TABLE thread_spawn_edges (
    parent_thread_id TEXT NOT NULL, child_thread_id TEXT NOT NULL PRIMARY KEY, status TEXT NOT NULL);
  CREATE TRIGGER threads_created_at_ms_after_insert AFTER INSERT ON threads WHEN NEW.created_at_ms IS NULL
    BEGIN UPDATE threads SET created_at_ms = NEW.created_at * 1000 WHERE id = NEW.id; END;
  CREATE TRIGGER threads_recency_at_after_insert AFTER INSERT ON threads WHEN NEW.recency_at_ms = 0
    BEGIN UPDATE threads SET recency_at = NEW.created_at WHERE id = NEW.id; END;`;

const HISTORY = `
  CREATE TABLE thread_turns (
    thread_id TEXT NOT NULL, turn_id TEXT NOT NULL, rollout_ordinal INTEGER NOT NULL, PRIMARY KEY (thread_id, turn_id));
  CREATE UNIQUE INDEX idx_thread_turns_page ON thread_turns(thread_id, rollout_ordinal);
  CREATE TABLE thread_items (
    thread_id TEXT NOT NULL, turn_id TEXT NOT NULL, item_id TEXT NOT NULL, item_json TEXT NOT NULL,
    PRIMARY KEY (thread_id, turn_id, item_id));
  CREATE TABLE thread_history_projection_state (
    thread_id TEXT PRIMARY KEY, next_rollout_byte_offset INTEGER NOT NULL);
  CREATE TABLE thread_realtime_items (thread_id TEXT NOT NULL, item_id TEXT NOT NULL, PRIMARY KEY (thread_id, item_id));
  CREATE TRIGGER thread_realtime_items_projection_cleanup AFTER DELETE ON thread_history_projection_state
    BEGIN DELETE FROM thread_realtime_items WHERE thread_id = OLD.thread_id; END;`;

const QUEUE = `
  CREATE TABLE queued_items (id TEXT PRIMARY KEY NOT NULL, thread_id TEXT NOT NULL, payload_json TEXT NOT NULL);
  CREATE TABLE queued_thread_revisions (revision INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL UNIQUE);
  CREATE TRIGGER queued_items_revision_after_delete AFTER DELETE ON queued_items
    BEGIN INSERT INTO queued_thread_revisions (thread_id) VALUES (OLD.thread_id)
      ON CONFLICT(thread_id) DO UPDATE SET revision = revision + 100; END;`;

const LOGS = 'CREATE TABLE logs (id INTEGER PRIMARY KEY AUTOINCREMENT, feedback_log_body TEXT, thread_id TEXT);';

/** The databases of a home as Codex leaves them: what was written last, and at times everything, stands in the log beside one. */
export function putDatabases(home: string, threads: readonly ThreadRowSpec[]): void {
  mkdirSync(home, { recursive: true });
  putDatabase(home, 'state_5.sqlite', STATE, (db) => {
    db.exec(`INSERT INTO projects VALUES ('p1', 'greeter')`);
    const thread = db.prepare(
      `INSERT INTO threads (id, rollout_path, title, created_at, recency_at_ms, archived, is_pinned, project_id)
       VALUES (?, ?, ?, 1700000000, 0, ?, ?, 'p1')`,
    );
    for (const { id, path, title, pinned = false, archived = false, parentId } of threads) {
      thread.run(id, join(home, path), title, Number(archived), Number(pinned));
      db.prepare(`INSERT INTO thread_dynamic_tools VALUES (?, 0, 'tool')`).run(id);
      db.prepare(`INSERT INTO thread_read_receipts VALUES (?, 'r1')`).run(id);
      if (parentId !== undefined) db.prepare(`INSERT INTO thread_spawn_edges VALUES (?, ?, 'open')`).run(parentId, id);
    }
    // As it is where somebody turned the clock back: a trigger would give a new row another value.
    db.exec('UPDATE threads SET recency_at = 7');
  });
  putDatabase(home, 'thread_history_1.sqlite', HISTORY, (db) => {
    for (const id of threads.flatMap(({ id: own, rollouts = [own] }) => rollouts)) {
      db.prepare(`INSERT INTO thread_turns VALUES (?, 't1', 0)`).run(id);
      db.prepare(`INSERT INTO thread_items VALUES (?, 't1', 'i1', '{"text":"ü"}')`).run(id);
      db.prepare('INSERT INTO thread_realtime_items VALUES (?, ?)').run(id, 'x1');
      db.prepare('INSERT INTO thread_history_projection_state VALUES (?, 10)').run(id);
    }
  });
  putDatabase(home, 'queue_1.sqlite', QUEUE, (db) => {
    for (const { id } of threads.slice(0, 2))
      db.prepare(`INSERT INTO queued_items VALUES (?, ?, '{}')`).run(`q-${id}`, id);
  });
  putDatabase(home, 'logs_2.sqlite', LOGS, (db) => {
    db.exec(`INSERT INTO logs (feedback_log_body) VALUES ('of nobody')`);
    for (const { id } of threads)
      db.prepare(`INSERT INTO logs (feedback_log_body, thread_id) VALUES ('said', ?)`).run(id);
  });
}

/** Everything stands in the log, as after a program that did not end in order. */
export function putDatabase(home: string, name: string, schema: string, fill: (db: Database) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'codex-database-'));
  const db = new BetterSqlite3(join(folder, name));
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = OFF');
    db.pragma('wal_autocheckpoint = 0');
    db.transaction(() => {
      db.exec(schema);
      fill(db);
    })();
    for (const part of [name, `${name}-wal`]) writeFileSync(join(home, part), readFileSync(join(folder, part)));
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

/** Every row of a database as text, read in a copy so that no byte and no file of it changes. */
export function dumpDatabase(path: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'codex-dump-'));
  try {
    for (const end of ['', '-wal']) if (existsSync(path + end)) cpSync(path + end, join(folder, `copy${end}`));
    const db = new BetterSqlite3(join(folder, 'copy'));
    try {
      const tables = db
        .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
        .pluck();
      return tables.all().flatMap((table) => {
        // Whoever writes counts up what is counted there.
        if (table === 'queued_thread_revisions' || table === 'sqlite_sequence') return [];
        const rows = db.prepare(`SELECT * FROM "${table}"`).all();
        return rows.map((row) => `${table} ${JSON.stringify(row)}`).toSorted();
      });
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
