/** What search looks at. It is made from the messages and can be made again. */
export const SEARCH_SCHEMA = `
CREATE TABLE coppice.search (
  message_id bigint PRIMARY KEY,
  space integer NOT NULL,
  session_key bigint NOT NULL,
  words text[] COLLATE "C" NOT NULL,
  shorts text[] COLLATE "C",
  folded text COLLATE "C" NOT NULL
);
CREATE INDEX search_by_session ON coppice.search (session_key);
CREATE INDEX search_by_word ON coppice.search USING gin (words);
CREATE INDEX search_by_short ON coppice.search USING gin (shorts) WHERE shorts IS NOT NULL;

CREATE TABLE coppice.search_totals (
  space integer PRIMARY KEY,
  messages bigint NOT NULL,
  words bigint NOT NULL
);
`;
