/**
 * Archived sessions. Their row stays in `sessions`, in the state `archived` and under its own id; messages and files are in a
 * bundle. Decisions worth knowing:
 * - `archives` has the run and number of the step that archived, because `sessions.run_id` says in whose trash a row is, and an
 *   archive can be in the trash too.
 * - `prompts` is what people asked, bounded, so that archived sessions are found by their own words. Both indexes of it follow
 *   the two of messages.
 * - An archive that is gone for good cannot be given back by the run that made it, so that item of the journal is purged with it.
 */
export const ARCHIVE_SCHEMA = `
ALTER TABLE sessions ADD COLUMN archived_at INTEGER;
CREATE INDEX sessions_in_archive ON sessions (last_active_at) WHERE state = 'archived';

CREATE TABLE archives (
  session_key INTEGER PRIMARY KEY REFERENCES sessions (key),
  run_id TEXT NOT NULL,
  run_number INTEGER NOT NULL,
  bundle TEXT NOT NULL,
  offset_bytes INTEGER NOT NULL,
  length_bytes INTEGER NOT NULL,
  codec TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  plain_bytes INTEGER NOT NULL,
  line_count INTEGER NOT NULL,
  prompts TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX archives_by_run ON archives (run_id, run_number);
CREATE INDEX archives_by_bundle ON archives (bundle);

CREATE VIEW archive_part_text AS SELECT session_key, prompts || '  ' AS prompts FROM archives;
CREATE VIRTUAL TABLE archive_words USING fts5 (
  prompts, content = 'archives', content_rowid = 'session_key', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE archive_parts USING fts5 (
  prompts, content = 'archive_part_text', content_rowid = 'session_key', tokenize = 'trigram remove_diacritics 1',
  detail = none, columnsize = 0
);
CREATE VIRTUAL TABLE archive_part_terms USING fts5vocab ('archive_parts', 'row');

CREATE TRIGGER archive_added AFTER INSERT ON archives BEGIN
  INSERT INTO archive_words (rowid, prompts) VALUES (new.session_key, new.prompts);
  INSERT INTO archive_parts (rowid, prompts) VALUES (new.session_key, new.prompts || '  ');
END;
CREATE TRIGGER archive_removed AFTER DELETE ON archives BEGIN
  INSERT INTO archive_words (archive_words, rowid, prompts) VALUES ('delete', old.session_key, old.prompts);
  INSERT INTO archive_parts (archive_parts, rowid, prompts) VALUES ('delete', old.session_key, old.prompts || '  ');
  UPDATE run_items SET state = 'purged' WHERE run_id = old.run_id AND number = old.run_number AND state = 'archived';
END;
`;
