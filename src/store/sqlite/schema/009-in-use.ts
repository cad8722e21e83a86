/**
 * What is in use is asked for often, and is little beside what is kept. The sessions that nobody ended are found without a look at
 * the others; the index has no column that changes with each message, so a message costs nothing more. Whether a session answers a
 * key is asked under the write lock.
 */
export const IN_USE_SCHEMA = `
CREATE INDEX sessions_open ON sessions (key) WHERE state = 'live' AND ended_at IS NULL;
CREATE INDEX routes_by_session ON routes (session_key);
`;
