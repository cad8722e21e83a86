import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';

/** The database of all sessions as Copilot CLI 1.0 makes it, as far as sessions have rows in it. */
const SCHEMA = `
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  INSERT INTO schema_version VALUES (8);
  CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, repository TEXT, host_type TEXT, branch TEXT, summary TEXT,
    created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')));
  CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), turn_index INTEGER NOT NULL,
    user_message TEXT, assistant_response TEXT, timestamp TEXT DEFAULT (datetime('now')), UNIQUE(session_id, turn_index));
  CREATE TABLE checkpoints (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), checkpoint_number INTEGER NOT NULL,
    title TEXT, overview TEXT, history TEXT, work_done TEXT, technical_details TEXT, important_files TEXT, next_steps TEXT, created_at TEXT);
  CREATE TABLE session_files (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), file_path TEXT NOT NULL,
    tool_name TEXT, turn_index INTEGER, first_seen_at TEXT, UNIQUE(session_id, file_path));
  CREATE TABLE session_refs (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), ref_type TEXT NOT NULL,
    ref_value TEXT NOT NULL, turn_index INTEGER, created_at TEXT, UNIQUE(session_id, ref_type, ref_value));
  CREATE TABLE forge_trajectory_events (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), tool_call_id TEXT,
    turn_index INTEGER, event_type TEXT NOT NULL, command TEXT, output TEXT, exit_code INTEGER, event_key TEXT, event_value TEXT, created_at TEXT);
  CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), turn_index INTEGER,
    agent_id TEXT, parent_tool_call_id TEXT, model TEXT NOT NULL, copilot_usage_model TEXT, input_tokens INTEGER, output_tokens INTEGER,
    cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER, total_nano_aiu INTEGER, request_multiplier REAL,
    duration_ms INTEGER, time_to_first_token_ms INTEGER, output_ttft_ms REAL, inter_token_latency_ms INTEGER, initiator TEXT, api_endpoint TEXT,
    reasoning_effort TEXT, finish_reason TEXT, content_filter_triggered INTEGER, token_details_json TEXT, created_at TEXT);
  CREATE INDEX idx_turns_session ON turns(session_id);
  CREATE TABLE dynamic_context_items (repository TEXT NOT NULL, branch TEXT NOT NULL, src TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (repository, branch, src, name));
  CREATE VIRTUAL TABLE search_index USING fts5(content, session_id UNINDEXED, source_type UNINDEXED, source_id UNINDEXED);
`;

/** Opens it, made first where it is not there. Whoever asks closes it. */
export function copilotStore(home: string): Database {
  mkdirSync(home, { recursive: true });
  const db = new BetterSqlite3(join(home, 'session-store.db'));
  db.pragma('journal_mode = WAL');
  if (db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'sessions'`).get() === undefined) db.exec(SCHEMA);
  return db;
}

/** What a session has in it: two turns, a file, a call of the model, and its words in the index. */
export function addRows(db: Database, id: string): void {
  db.prepare('INSERT INTO sessions VALUES (?, ?, NULL, NULL, ?, ?, ?, ?)').run(
    id,
    '/w',
    'main',
    `About ${id}`,
    'then',
    'now',
  );
  for (const turn of [0, 1]) addTurn(db, id, turn);
  db.prepare('INSERT INTO session_files (session_id, file_path, tool_name) VALUES (?, ?, ?)').run(
    id,
    '/w/a.ts',
    'edit',
  );
  db.prepare(
    'INSERT INTO assistant_usage_events (session_id, model, request_multiplier, output_ttft_ms) VALUES (?, ?, 0.0, 31.5)',
  ).run(id, 'm');
}

export function addTurn(db: Database, id: string, turn: number): void {
  const words = `needle of ${id} ${turn} \u{1F331}`;
  db.prepare('INSERT INTO turns (session_id, turn_index, user_message, timestamp) VALUES (?, ?, ?, ?)').run(
    id,
    turn,
    words,
    'then',
  );
  db.prepare('INSERT INTO search_index VALUES (?, ?, ?, ?)').run(words, id, 'turn', `${id}:turn:${turn}`);
}

/** Everything in it, row by row, and what a search finds. */
export function dumpStore(home: string): unknown {
  const db = copilotStore(home);
  try {
    const names = ['sessions', 'turns', 'session_files', 'assistant_usage_events', 'search_index'];
    const rows = names.map((name) => [name, db.prepare(`SELECT rowid AS number, * FROM ${name} ORDER BY rowid`).all()]);
    const found = db
      .prepare(`SELECT rowid FROM search_index WHERE search_index MATCH 'needle' ORDER BY rowid`)
      .pluck()
      .all();
    db.exec(`INSERT INTO search_index(search_index) VALUES ('integrity-check')`);
    return { ...Object.fromEntries(rows), found, broken: db.pragma('foreign_key_check') };
  } finally {
    db.close();
  }
}
