/** The running totals of budgets. */
export const SPEND_SCHEMA = `
CREATE TABLE coppice.spend_turn (
  space integer PRIMARY KEY
);

CREATE TABLE coppice.spend (
  space integer NOT NULL,
  row_digest text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  nano_usd bigint NOT NULL,
  iterations bigint NOT NULL,
  wall_ms bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (space, row_digest)
) WITH (fillfactor = 70);
CREATE INDEX spend_by_scope ON coppice.spend (space, scope, period);

CREATE TABLE coppice.kept (
  space integer NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (space, session_id)
);

CREATE TABLE coppice.reserved (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space integer NOT NULL,
  session text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  nano_usd bigint NOT NULL,
  is_call smallint NOT NULL,
  owner text COLLATE "C" NOT NULL,
  reserved_at bigint NOT NULL
);
CREATE INDEX reserved_by_space ON coppice.reserved (space);

CREATE TABLE coppice.told (
  space integer NOT NULL,
  row_digest text COLLATE "C" NOT NULL,
  counter text COLLATE "C" NOT NULL,
  percent bigint NOT NULL,
  of_limit bigint NOT NULL,
  told_at bigint NOT NULL,
  PRIMARY KEY (space, row_digest, counter, of_limit, percent)
);

CREATE TABLE coppice.corrections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space integer NOT NULL,
  session text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  nano_usd bigint NOT NULL,
  corrected_by text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  corrected_at bigint NOT NULL
);
CREATE INDEX corrections_by_space ON coppice.corrections (space, id);

CREATE TABLE coppice.found (
  space integer NOT NULL,
  id_digest text COLLATE "C" NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_read bigint NOT NULL,
  cache_write bigint NOT NULL,
  reasoning bigint NOT NULL,
  found_at bigint NOT NULL,
  PRIMARY KEY (space, id_digest)
);

CREATE TABLE coppice.unrecorded (
  space integer NOT NULL,
  id_digest text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  report text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  noted_at bigint NOT NULL,
  PRIMARY KEY (space, id_digest)
);
`;
