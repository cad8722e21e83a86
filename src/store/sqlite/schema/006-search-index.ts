/**
 * Messages are put into the search indexes together, at the end of the transaction that wrote them (search-index.ts), no longer one
 * by one. Decisions worth knowing:
 * - `indexed` says up to which message that was done. Rows above it are in no index, so deleting one must not take it out of there;
 *   a number that is used again after the newest message was deleted brings the mark down with it.
 * - The views end at the mark too: what is compared with an index, or built anew, is what should be in it.
 * - Pieces of the indexes are merged by us, in portions, instead of whenever SQLite likes, which can take half a second of a commit.
 *   It still merges by itself if a level has 64 pieces, far below the number at which it would refuse to write.
 */
export const SEARCH_INDEX_SCHEMA = `
CREATE TABLE indexed (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO indexed SELECT 1, coalesce(max(id), 0) FROM messages;

DROP VIEW message_word_text;
DROP VIEW message_part_text;
CREATE VIEW message_word_text AS SELECT id, substr(text, 1, 100000) AS text FROM messages
  WHERE id <= (SELECT up_to FROM indexed);
CREATE VIEW message_part_text AS SELECT id, substr(text, 1, 100000) || '  ' AS text FROM messages
  WHERE id <= (SELECT up_to FROM indexed);

DROP TRIGGER message_added;
DROP TRIGGER message_removed;
DROP TRIGGER message_rewritten;
CREATE TRIGGER message_added AFTER INSERT ON messages WHEN new.id <= (SELECT up_to FROM indexed) BEGIN
  UPDATE indexed SET up_to = new.id - 1;
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.id <= (SELECT up_to FROM indexed) BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000));
  INSERT INTO message_parts (message_parts, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000) || '  ');
END;
CREATE TRIGGER message_rewritten AFTER UPDATE OF text ON messages WHEN old.id <= (SELECT up_to FROM indexed) BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000));
  INSERT INTO message_parts (message_parts, rowid, text) VALUES ('delete', old.id, substr(old.text, 1, 100000) || '  ');
  INSERT INTO message_words (rowid, text) VALUES (new.id, substr(new.text, 1, 100000));
  INSERT INTO message_parts (rowid, text) VALUES (new.id, substr(new.text, 1, 100000) || '  ');
END;

INSERT INTO message_words (message_words, rank) VALUES ('automerge', 0), ('usermerge', 16), ('crisismerge', 64);
INSERT INTO message_parts (message_parts, rank) VALUES ('automerge', 0), ('usermerge', 16), ('crisismerge', 64);
`;
