/**
 * The first schema. Decisions worth knowing:
 * - `parent_id` is no foreign key: a removed parent must never take its children along, nor be kept alive by them.
 * - `key` is never given out again: who still reads or claims a removed session must not find another in its place.
 * - `text` holds what search sees and `extra` the JSON of whatever `text` alone cannot give back (message-rows.ts).
 * - Only the first 100 000 characters of a message are indexed, which bounds the time an append holds the write lock.
 * - Both message indexes read their text through views, so that what is indexed is written down once. The two blanks at the
 *   end give every character a trigram that starts with it: words of one or two characters (Chinese, Japanese) are found too.
 * - Money is counted in billionths of a dollar: whole numbers add up exactly.
 */
export const SESSIONS_SCHEMA = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  source TEXT NOT NULL,
  route_key TEXT,
  parent_id TEXT,
  child_kind TEXT,
  title TEXT,
  model TEXT,
  workdir TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  started_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cost_nano_usd INTEGER NOT NULL DEFAULT 0,
  content_bytes INTEGER NOT NULL DEFAULT 0,
  transcript_seq INTEGER NOT NULL DEFAULT 0,
  transcript_bytes INTEGER NOT NULL DEFAULT 0,
  dump_bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_activity ON sessions (last_active_at) WHERE state = 'live';
CREATE INDEX sessions_by_source ON sessions (source, last_active_at) WHERE state = 'live';
CREATE INDEX sessions_in_transition ON sessions (state) WHERE state <> 'live';
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  seq INTEGER NOT NULL,
  role TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  extra TEXT
) STRICT;
CREATE UNIQUE INDEX messages_in_order ON messages (session_key, seq);

CREATE TABLE usage (
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_nano_usd INTEGER NOT NULL,
  PRIMARY KEY (session_key, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT,
  workdir TEXT,
  started_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  message_count INTEGER NOT NULL,
  tool_call_count INTEGER NOT NULL,
  usage_by_model TEXT NOT NULL,
  removed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_id ON ledger (id);

CREATE TABLE holders (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid_namespace TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_started_at TEXT NOT NULL,
  heartbeat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  holder_id TEXT NOT NULL REFERENCES holders (id) ON DELETE CASCADE,
  PRIMARY KEY (session_key, holder_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX leases_by_holder ON leases (holder_id);

CREATE VIEW message_word_text AS SELECT id, substr(text, 1, 100000) AS text FROM messages;
CREATE VIEW message_part_text AS SELECT id, substr(text, 1, 100000) || '  ' AS text FROM messages;
CREATE VIEW session_title_text AS SELECT key, coalesce(title, '') || '  ' AS title FROM sessions;

CREATE VIRTUAL TABLE message_words USING fts5 (
  text, content = 'message_word_text', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE message_parts USING fts5 (
  text, content = 'message_part_text', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1',
  detail = none, columnsize = 0
);
CREATE VIRTUAL TABLE session_titles USING fts5 (
  title, content = 'session_title_text', content_rowid = 'key', tokenize = 'trigram remove_diacritics 1',
  detail = none, columnsize = 0
);
CREATE VIRTUAL TABLE message_part_terms USING fts5vocab ('message_parts', 'row');
CREATE VIRTUAL TABLE session_title_terms USING fts5vocab ('session_titles', 'row');

CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO message_words (rowid, text) VALUES (new.id, substr(new.text, 1, 100000));
  INSERT INTO message_parts (rowid, text) VALUES (new.id, substr(new.text, 1, 100000) || '  ');
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000));
  INSERT INTO message_parts (message_parts, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000) || '  ');
END;
CREATE TRIGGER message_rewritten AFTER UPDATE OF text ON messages BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000));
  INSERT INTO message_parts (message_parts, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000) || '  ');
  INSERT INTO message_words (rowid, text) VALUES (new.id, substr(new.text, 1, 100000));
  INSERT INTO message_parts (rowid, text) VALUES (new.id, substr(new.text, 1, 100000) || '  ');
END;
CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN
  INSERT INTO session_titles (rowid, title) VALUES (new.key, coalesce(new.title, '') || '  ');
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
  INSERT INTO session_titles (session_titles, rowid, title) VALUES ('delete', old.key, coalesce(old.title, '') || '  ');
END;
CREATE TRIGGER session_retitled AFTER UPDATE OF title ON sessions BEGIN
  INSERT INTO session_titles (session_titles, rowid, title) VALUES ('delete', old.key, coalesce(old.title, '') || '  ');
  INSERT INTO session_titles (rowid, title) VALUES (new.key, coalesce(new.title, '') || '  ');
END;
`;
