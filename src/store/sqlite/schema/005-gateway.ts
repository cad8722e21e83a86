/**
 * The live runtime. A route names its session by key and without a foreign key: a removed session must not be kept alive by a
 * route, and the route heals at the next message.
 */
export const GATEWAY_SCHEMA = `
CREATE TABLE routes (
  key TEXT PRIMARY KEY,
  session_key INTEGER NOT NULL,
  moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE cron_jobs (
  name TEXT PRIMARY KEY,
  spec TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE cron_runs (
  job TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  outcome TEXT,
  PRIMARY KEY (job, due_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX cron_runs_unfinished ON cron_runs (job) WHERE finished_at IS NULL;

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  job TEXT NOT NULL,
  target TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  last_error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_open ON deliveries (next_attempt_at) WHERE state IN ('waiting', 'sending');

CREATE TABLE supervised_runs (
  id TEXT PRIMARY KEY,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
