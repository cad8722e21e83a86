import type { Database } from 'better-sqlite3';
import type { TranscriptFacts, TranscriptPiece } from '../../core/sessions/transcript-format.ts';
import { parseObject } from '../../keeping/row-home/parse-object.ts';
import { opencodeSession } from './opencode-session.ts';

interface SessionRow {
  readonly directory: string;
  readonly title: string;
  readonly parent_id: string | null;
  readonly time_created: number;
  readonly time_updated: number;
}

/** What is said in one session of a database. */
export interface OpencodeConversation {
  /** In the order in which they were said, from after one of them on; at most so many. */
  messageIds(after?: string, most?: number): readonly string[];
  /** What a message and its parts say. */
  say(message: string): readonly TranscriptPiece[];
  facts(): TranscriptFacts;
}

/** Undefined where there is no such session. */
export function openConversation(db: Database, id: string): OpencodeConversation | undefined {
  const row = db
    .prepare<[string], SessionRow>(
      'SELECT directory, title, parent_id, time_created, time_updated FROM session WHERE id = ?',
    )
    .get(id);
  if (row === undefined) return undefined;
  const { directory, title, parent_id: parent, time_created: created, time_updated: updated } = row;
  const time = { created, updated };
  const session = opencodeSession({ id, directory, title, time, ...(parent !== null && { parentID: parent }) });
  const data = db.prepare<[string], string>('SELECT data FROM message WHERE id = ?').pluck();
  const parts = db.prepare<[string], string>('SELECT data FROM part WHERE message_id = ? ORDER BY id').pluck();
  return {
    messageIds: (after, most = -1) => messageIds(db, id, { after, most }),
    say(message) {
      const info = parseObject(data.get(message));
      const said = parts
        .all(message)
        .map(parseObject)
        .filter((part) => part !== undefined);
      return info === undefined ? [] : session.say(info, said);
    },
    facts: () => session.facts(),
  };
}

/** One that went meanwhile ends the page that would have begun after it: the session is not what it was. */
function messageIds(
  db: Database,
  id: string,
  { after, most }: { readonly after: string | undefined; readonly most: number },
): readonly string[] {
  const order = 'ORDER BY time_created, id LIMIT ?';
  if (after === undefined) {
    const all = `SELECT id FROM message WHERE session_id = ? ${order}`;
    return db.prepare<[string, number], string>(all).pluck().all(id, most);
  }
  const later = `SELECT id FROM message WHERE session_id = ? AND (time_created, id) >
    (SELECT time_created, id FROM message WHERE id = ?) ${order}`;
  return db.prepare<[string, string, number], string>(later).pluck().all(id, after, most);
}
