/**
 * The first schema on a server, which holds what the embedded store holds at the same number. Decisions worth knowing:
 * - Many homes may live in one database. Each is a *space*, and every key leads with it, so none ever meets the rows of another.
 * - Text is compared byte by byte (`COLLATE "C"`), as the embedded store does, whatever the database was made with.
 * - Content that text cannot hold, such as a NUL, is written in an escaped form by whoever binds it (bound-text.ts).
 * - What may be longer than an index takes (a key of a route, a model) is found by a digest of it.
 * - Messages are numbered by one sequence, so the newest have the highest; what is indexed for search is told by each session itself
 *   (`indexed_seq`), because numbers of a sequence become visible in any order, and those of a session do not.
 * - `parent_id`, routes and leases are no foreign keys: nothing is kept alive, or taken along, by what only names it.
 * - `commits` says which transactions are done, so that one whose answer was lost is never done twice.
 */
export const HOME_SCHEMA = `
CREATE TABLE coppice.spaces (
  space integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE
);

CREATE INDEX commits_by_time ON coppice.commits (at);

CREATE TABLE coppice.meta (
  space integer NOT NULL,
  key_digest text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, key_digest)
);
CREATE INDEX meta_by_kind ON coppice.meta (space, substr(key, 1, 6));

CREATE TABLE coppice.sessions (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  route_key text COLLATE "C",
  parent_id text COLLATE "C",
  child_kind text COLLATE "C",
  title text COLLATE "C",
  model text COLLATE "C",
  workdir text COLLATE "C",
  tags text COLLATE "C" NOT NULL DEFAULT '[]',
  started_at bigint NOT NULL,
  last_active_at bigint NOT NULL,
  ended_at bigint,
  end_reason text COLLATE "C",
  archived_at bigint,
  pinned smallint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  indexed_seq bigint NOT NULL DEFAULT 0,
  message_count bigint NOT NULL DEFAULT 0,
  output_count bigint NOT NULL DEFAULT 0,
  tool_call_count bigint NOT NULL DEFAULT 0,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  cache_read_tokens bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  reasoning_tokens bigint NOT NULL DEFAULT 0,
  cost_nano_usd bigint NOT NULL DEFAULT 0,
  content_bytes bigint NOT NULL DEFAULT 0,
  transcript_seq bigint NOT NULL DEFAULT 0,
  transcript_bytes bigint NOT NULL DEFAULT 0,
  dump_bytes bigint NOT NULL DEFAULT 0,
  run_id text COLLATE "C",
  run_number bigint
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX sessions_by_id ON coppice.sessions (space, id);
CREATE INDEX sessions_by_activity ON coppice.sessions (space, state, last_active_at);
CREATE INDEX sessions_open ON coppice.sessions (space, key) WHERE state = 'live' AND ended_at IS NULL;
CREATE INDEX sessions_by_parent ON coppice.sessions (space, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_by_end ON coppice.sessions (space, right(id, 6));
CREATE INDEX sessions_unindexed ON coppice.sessions (space, key) WHERE indexed_seq < last_seq;
CREATE UNIQUE INDEX sessions_in_trash ON coppice.sessions (space, run_id, run_number) WHERE run_id IS NOT NULL;

CREATE TABLE coppice.titles (
  session_key bigint PRIMARY KEY,
  space integer NOT NULL,
  title text COLLATE "C" NOT NULL,
  lowered text COLLATE "C" NOT NULL,
  folded text COLLATE "C" NOT NULL
);
CREATE INDEX titles_by_start ON coppice.titles (space, substr(lower(title), 1, 500));

CREATE TABLE coppice.messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_key bigint NOT NULL,
  seq bigint NOT NULL,
  role text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  text text COLLATE "C" NOT NULL,
  extra text COLLATE "C",
  is_output smallint NOT NULL
);
CREATE UNIQUE INDEX messages_in_order ON coppice.messages (session_key, seq);

CREATE TABLE coppice.usage (
  session_key bigint NOT NULL,
  model_digest text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  cost_nano_usd bigint NOT NULL,
  PRIMARY KEY (session_key, model_digest)
);

CREATE TABLE coppice.rewinds (
  session_key bigint NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  after_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  PRIMARY KEY (session_key, run_id)
);

CREATE TABLE coppice.holders (
  space integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  host text COLLATE "C" NOT NULL,
  boot_id text COLLATE "C" NOT NULL,
  pid_namespace text COLLATE "C" NOT NULL,
  pid bigint NOT NULL,
  process_started_at text COLLATE "C" NOT NULL,
  heartbeat_at bigint NOT NULL,
  PRIMARY KEY (space, id)
);

CREATE TABLE coppice.leases (
  session_key bigint NOT NULL,
  holder_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (session_key, holder_id)
);
CREATE INDEX leases_by_holder ON coppice.leases (holder_id);

CREATE TABLE coppice.ledger (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  title text COLLATE "C",
  workdir text COLLATE "C",
  started_at bigint NOT NULL,
  last_active_at bigint NOT NULL,
  ended_at bigint,
  end_reason text COLLATE "C",
  message_count bigint NOT NULL,
  tool_call_count bigint NOT NULL,
  usage_by_model text COLLATE "C" NOT NULL,
  removed_at bigint NOT NULL,
  run_id text COLLATE "C"
);
CREATE INDEX ledger_in_order ON coppice.ledger (space, key);
CREATE INDEX ledger_by_run ON coppice.ledger (space, run_id, md5(id));
`;
