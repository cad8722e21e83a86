import type { Database } from 'better-sqlite3';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import { Failure } from '../../core/failure.ts';
import { type GuestDatabase, hasColumns, openGuest } from '../../platform/sqlite/guest-database.ts';
import { opencodeSession } from './opencode-session.ts';

/** Reads all sessions of the database, one message at a time, and changes nothing in it. */
export async function* readDatabase(path: string, signal?: AbortSignal): TranscriptBatches {
  const guest = openGuest(path);
  const { db } = guest;
  try {
    refuseUnknown(guest, path);
    const ids = db.prepare<[], string>('SELECT id FROM session ORDER BY time_created, id').pluck().all();
    for (const id of ids) {
      signal?.throwIfAborted();
      yield* readSession(db, id);
    }
    if (guest.disturbed()) throw changedMeanwhile(path);
  } finally {
    guest.close();
  }
}

function changedMeanwhile(path: string): Failure {
  return new Failure('failed', `${path} was written to while it was read, so something may be missing.`, {
    hint: 'Import it again: what is there already is left alone.',
  });
}

const NEEDED = {
  session: ['id', 'directory', 'title', 'parent_id', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'data'],
};

function refuseUnknown(guest: GuestDatabase, path: string): void {
  if (Object.entries(NEEDED).every(([table, columns]) => hasColumns(guest, table, columns))) return;
  throw new Failure('refused', `${path} is a database of opencode in a shape that is not known here.`, {
    hint: 'Export the sessions with: opencode export ID > FILE, and import the files.',
  });
}

interface SessionRow {
  readonly directory: string;
  readonly title: string;
  readonly parent_id: string | null;
  readonly time_created: number;
  readonly time_updated: number;
}

async function* readSession(db: Database, id: string): TranscriptBatches {
  const row = db
    .prepare<[string], SessionRow>(
      'SELECT directory, title, parent_id, time_created, time_updated FROM session WHERE id = ?',
    )
    .get(id);
  const messages = db
    .prepare<[string], string>('SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id')
    .pluck()
    .all(id);
  if (row === undefined || messages.length === 0) return;
  const { directory, title, parent_id: parent, time_created: created, time_updated: updated } = row;
  const session = opencodeSession({
    id,
    directory,
    title,
    time: { created, updated },
    ...(parent !== null && { parentID: parent }),
  });
  yield { pieces: [{ kind: 'begin', facts: session.facts() }], offset: 0 };
  const data = db.prepare<[string], string>('SELECT data FROM message WHERE id = ?').pluck();
  const parts = db.prepare<[string], string>('SELECT data FROM part WHERE message_id = ? ORDER BY id').pluck();
  for (const message of messages) {
    const info = parsed(data.get(message));
    const all = parts.all(message).map(parsed);
    if (info === undefined) continue;
    yield {
      pieces: session.say(
        info,
        all.filter((part) => part !== undefined),
      ),
      offset: 0,
    };
  }
  yield { pieces: [{ kind: 'end', facts: session.facts() }], offset: 0 };
}

/** Damaged JSON is passed over, as the program itself does. */
function parsed(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
