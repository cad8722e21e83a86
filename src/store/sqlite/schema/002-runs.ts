/**
 * Runs and their journal. A session in the trash keeps its rows in the state `trashed`, under an id that no caller can give,
 * with the run and number by which it is found again. `taken` remembers what a session's row said of files that were taken.
 */
export const RUNS_SCHEMA = `
ALTER TABLE sessions ADD COLUMN run_id TEXT;
ALTER TABLE sessions ADD COLUMN run_number INTEGER;
ALTER TABLE ledger ADD COLUMN run_id TEXT;
CREATE UNIQUE INDEX sessions_in_trash ON sessions (run_id, run_number) WHERE run_id IS NOT NULL;

INSERT INTO meta VALUES ('home-id', lower(hex(randomblob(16))));

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE run_items (
  run_id TEXT NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  item_id TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  skips_trash INTEGER NOT NULL,
  state TEXT NOT NULL,
  detail TEXT,
  taken TEXT,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_items_unfinished ON run_items (run_id) WHERE state IN ('intended', 'undoing', 'purging');
`;
