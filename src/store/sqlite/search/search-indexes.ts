/** Every full-text index in the database. */
export const INDEXES: readonly string[] = [
  'message_words',
  'message_parts',
  'session_titles',
  'archive_words',
  'archive_parts',
];
