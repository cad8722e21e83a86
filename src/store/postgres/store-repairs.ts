import type { StoreRepair } from '../../core/stores/store-repair.ts';
import type { Database } from './database/database.ts';
import { forgetHolder } from './sessions/lease-book.ts';
import { COUNTED, SEARCH_INDEX, wrongCounts } from './store-checks.ts';
import type { WriteTurn } from './writing/write-turn.ts';

/** Puts counts and the search index right again. */
export function createStoreRepair(db: Database, write: WriteTurn): StoreRepair {
  return {
    // No earlier version ever left a removal half done here, and transcripts are not kept by a home on a server.
    removals: async () => undefined,
    transcript: async () => [],
    damage: async () => undefined,
    async counts() {
      const wrong = await wrongCounts(db);
      for (const { key } of wrong) {
        await write((tx) =>
          tx.run(
            `UPDATE coppice.sessions s SET message_count = c.counted, output_count = c.printed, content_bytes = c.bytes,
             last_seq = greatest(s.last_seq, c.last) FROM (SELECT key, c.* FROM coppice.sessions s CROSS JOIN LATERAL (${COUNTED}) c
               WHERE s.key = ?) c WHERE s.key = c.key`,
            key,
          ),
        );
      }
      return wrong.length;
    },
    async index(name) {
      if (name === SEARCH_INDEX) await write(forgetIndex);
    },
    async forget(holders) {
      await write(async (tx) => {
        for (const { id, heartbeatAt } of holders) {
          const row = await tx.get(
            'SELECT 1 FROM coppice.holders WHERE space = :space AND id = ? AND heartbeat_at = ? FOR UPDATE',
            id,
            heartbeatAt,
          );
          if (row !== undefined) await forgetHolder(tx, id);
        }
      });
    },
  };
}

/** Everything is behind then, and indexed anew by whoever writes or searches next. */
async function forgetIndex(tx: Parameters<Parameters<WriteTurn>[0]>[0]): Promise<void> {
  await tx.run('UPDATE coppice.sessions SET indexed_seq = 0 WHERE space = :space AND indexed_seq > 0');
  await tx.run('DELETE FROM coppice.search WHERE space = :space');
  await tx.run('UPDATE coppice.search_totals SET messages = 0, words = 0 WHERE space = :space');
}
