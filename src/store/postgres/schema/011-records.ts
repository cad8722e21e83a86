/** Runs, the archive, and what the gateway keeps. */
export const RECORDS_SCHEMA = `
CREATE TABLE coppice.runs (
  space integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  finished_at bigint,
  expires_at bigint NOT NULL,
  PRIMARY KEY (space, id)
);

CREATE TABLE coppice.run_items (
  space integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  size_bytes bigint NOT NULL,
  skips_trash smallint NOT NULL,
  state text COLLATE "C" NOT NULL,
  detail text COLLATE "C",
  taken text COLLATE "C",
  PRIMARY KEY (space, run_id, number)
);
CREATE INDEX run_items_unfinished ON coppice.run_items (space, run_id) WHERE state IN ('intended', 'undoing', 'purging');
CREATE INDEX run_items_in_trash ON coppice.run_items (space, run_id) WHERE state IN ('trashed', 'purging');
CREATE INDEX run_items_by_item ON coppice.run_items (space, md5(item_id));

CREATE TABLE coppice.archives (
  session_key bigint PRIMARY KEY,
  space integer NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  run_number bigint NOT NULL,
  bundle text COLLATE "C" NOT NULL,
  offset_bytes bigint NOT NULL,
  length_bytes bigint NOT NULL,
  codec text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  plain_bytes bigint NOT NULL,
  line_count bigint NOT NULL,
  prompts text COLLATE "C" NOT NULL,
  words text[] COLLATE "C" NOT NULL,
  folded text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX archives_by_run ON coppice.archives (space, run_id, run_number);
CREATE INDEX archives_by_bundle ON coppice.archives (space, bundle);
CREATE INDEX archives_by_word ON coppice.archives USING gin (words);

CREATE TABLE coppice.routes (
  space integer NOT NULL,
  key_digest text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  session_key bigint NOT NULL,
  moved_at bigint NOT NULL,
  PRIMARY KEY (space, key_digest)
);
CREATE INDEX routes_in_order ON coppice.routes (space, substr(key, 1, 600));
CREATE INDEX routes_by_session ON coppice.routes (session_key);

CREATE TABLE coppice.cron_jobs (
  space integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  spec text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, name)
);

CREATE TABLE coppice.cron_runs (
  space integer NOT NULL,
  job text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  finished_at bigint,
  outcome text COLLATE "C",
  PRIMARY KEY (space, job, due_at)
);
CREATE INDEX cron_runs_unfinished ON coppice.cron_runs (space, due_at) WHERE finished_at IS NULL;

CREATE TABLE coppice.deliveries (
  space integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  session_id text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  next_attempt_at bigint NOT NULL,
  last_error text COLLATE "C",
  PRIMARY KEY (space, id)
);
CREATE INDEX deliveries_open ON coppice.deliveries (space, next_attempt_at) WHERE state IN ('waiting', 'sending');

CREATE TABLE coppice.supervised_runs (
  space integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, id)
);

CREATE TABLE coppice.requests (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space integer NOT NULL,
  book text COLLATE "C" NOT NULL,
  key_digest text COLLATE "C" NOT NULL,
  print text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  result text COLLATE "C" NOT NULL,
  at bigint NOT NULL
);
CREATE UNIQUE INDEX requests_by_key ON coppice.requests (space, book, key_digest);
CREATE INDEX requests_in_order ON coppice.requests (space, book, number);
CREATE INDEX requests_answered ON coppice.requests (space, book, number) WHERE state <> 'noted';

CREATE TABLE coppice.locks (
  space integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  holder uuid NOT NULL,
  is_alone boolean NOT NULL,
  is_waiting boolean NOT NULL,
  purpose text COLLATE "C" NOT NULL,
  fence bigint NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (space, name, holder)
);
CREATE TABLE coppice.lock_names (
  space integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  fence bigint NOT NULL,
  PRIMARY KEY (space, name)
);
`;
