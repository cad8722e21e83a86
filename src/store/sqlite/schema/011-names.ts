/**
 * People call a session by the end of its id, where ids of one time differ, and by its title. Both are looked up before anything else is
 * done. Neither index has a column that changes with each message, so a message costs nothing more.
 */
export const NAMES_SCHEMA = `
CREATE INDEX sessions_by_end ON sessions (substr(id, -6));
CREATE INDEX sessions_by_title ON sessions (title COLLATE NOCASE) WHERE title IS NOT NULL;
`;
