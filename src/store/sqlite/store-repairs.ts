import { MAX_BATCH } from '../../core/stores/session-writer.ts';
import type { StoreRepair } from '../../core/stores/store-repair.ts';
import type { TranscriptSink } from '../../core/sessions/transcript.ts';
import type { Connection } from './database/connection.ts';
import { findDamageAside } from './writing/find-damage.ts';
import type { PatientQueue } from './writing/patient-queue.ts';
import { INDEXES } from './search/search-indexes.ts';
import { OUTPUT_ROW } from './sessions/output-row.ts';
import { storedMessages, transcriptSessionOf } from './sessions/message-writes.ts';
import { finishRemovals } from './sessions/session-removal.ts';
import { findRow } from './sessions/session-writes.ts';

/** Puts the copies and counts of a database right again. */
export function createStoreRepair(db: Connection, queue: PatientQueue, transcripts: TranscriptSink): StoreRepair {
  return {
    removals: () => finishRemovals(db, queue),
    transcript: (id) => queue.run(() => writeTranscript(db, id, transcripts)),
    damage: () => findDamageAside(db),
    async counts() {
      const { wrongCounts } = await import('./store-checks.ts');
      const keys = wrongCounts(db).map(({ key }) => key);
      for (let first = 0; first < keys.length; first += MAX_BATCH) {
        const some = keys.slice(first, first + MAX_BATCH);
        await queue.run(() => countAnew(db, some), some.length);
      }
      return keys.length;
    },
    async index(name) {
      if (INDEXES.includes(name))
        await queue.run(() => void db.raw.exec(`INSERT INTO ${name} (${name}) VALUES ('rebuild')`));
    },
    async forget(holders) {
      const forget = db.sql('DELETE FROM holders WHERE id = ? AND heartbeat_at = ?');
      await queue.run(() => {
        for (const { id, heartbeatAt } of holders) forget.run(id, heartbeatAt);
      });
    },
  };
}

/** An append of nothing: it mends the file under the lock that every writer of a transcript takes. */
function writeTranscript(db: Connection, id: string, transcripts: TranscriptSink) {
  const row = findRow(db, id);
  if (row === undefined) return [];
  const { mark, problems } = transcripts.write({
    session: transcriptSessionOf(row),
    mark: { seq: row.transcript_seq, sizeBytes: row.transcript_bytes },
    fresh: [],
    stored: (from, to) => storedMessages(db, row.key, { from, to }),
  });
  const remember = db.sql('UPDATE sessions SET transcript_seq = ?, transcript_bytes = ? WHERE key = ?');
  remember.run(mark.seq, mark.sizeBytes, row.key);
  return problems;
}

function countAnew(db: Connection, keys: readonly number[]): void {
  const count =
    db.sql(`UPDATE sessions SET message_count = counted, output_count = printed, content_bytes = bytes, last_seq = max(last_seq, last)
    FROM (SELECT count(*) AS counted, coalesce(sum(${OUTPUT_ROW}), 0) AS printed, coalesce(sum(octet_length(text) + coalesce(octet_length(extra), 0)), 0) AS bytes,
      coalesce(max(seq), 0) AS last FROM messages WHERE session_key = ?) WHERE key = ?`);
  for (const key of keys) count.run(key, key);
}
