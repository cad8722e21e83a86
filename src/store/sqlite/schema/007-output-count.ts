/**
 * How many rows of a session are recorded output, which is no message. `message_count` goes on counting all of them, so that it can be
 * compared with the rows that are there.
 */
export const OUTPUT_COUNT_SCHEMA = `
ALTER TABLE sessions ADD COLUMN output_count INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET output_count = counted
  FROM (SELECT session_key, count(*) AS counted FROM messages
    WHERE CASE WHEN role <> 'tool' OR NOT json_valid(extra) THEN 0
      ELSE extra ->> 'toolCallId' IS NULL AND extra ->> 'name' IN ('stdout', 'stderr') END
    GROUP BY session_key)
  WHERE session_key = sessions.key;
`;
