/** What `isOutput` says, of a row. The JSON of other roles, which may be long, is not looked at, and damaged JSON is none. */
export const OUTPUT_ROW = `CASE WHEN role <> 'tool' OR NOT json_valid(extra) THEN 0
  ELSE extra ->> 'toolCallId' IS NULL AND extra ->> 'name' IN ('stdout', 'stderr') END`;
