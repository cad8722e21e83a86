/**
 * Requests that bore a key. A row that says what an effect gave is written in the transaction of that effect, so both are there or
 * neither is. Numbers grow: the lowest are the oldest.
 */
export const REQUESTS_SCHEMA = `
CREATE TABLE requests (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  print TEXT NOT NULL,
  state TEXT NOT NULL,
  result TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_answered ON requests (number) WHERE state <> 'noted';
`;
