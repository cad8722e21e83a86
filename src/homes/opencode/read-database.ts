import type { Database } from 'better-sqlite3';
import type { TranscriptBatches } from '../../core/sessions/transcript-format.ts';
import { Failure } from '../../core/failure.ts';
import { type GuestDatabase, openGuest } from '../../platform/sqlite/guest-database.ts';
import { openConversation } from './opencode-conversation.ts';
import { hasSessions } from './opencode-schema.ts';

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

function refuseUnknown(guest: GuestDatabase, path: string): void {
  if (hasSessions(guest)) return;
  throw new Failure('refused', `${path} is a database of opencode in a shape that is not known here.`, {
    hint: 'Export the sessions with: opencode export ID > FILE, and import the files.',
  });
}

async function* readSession(db: Database, id: string): TranscriptBatches {
  const conversation = openConversation(db, id);
  const messages = conversation?.messageIds() ?? [];
  if (conversation === undefined || messages.length === 0) return;
  yield { pieces: [{ kind: 'begin', facts: conversation.facts() }], offset: 0 };
  for (const message of messages) yield { pieces: conversation.say(message), offset: 0 };
  yield { pieces: [{ kind: 'end', facts: conversation.facts() }], offset: 0 };
}
