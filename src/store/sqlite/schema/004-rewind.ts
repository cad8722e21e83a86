/**
 * Conversations that were taken back. One row hides a stretch of messages, so a rewind costs the same however long it is, and
 * a crash leaves all of it or nothing.
 */
export const REWIND_SCHEMA = `
CREATE TABLE rewinds (
  session_key INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  after_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  PRIMARY KEY (session_key, run_id)
) STRICT, WITHOUT ROWID;
`;
