import type { KeptRecords } from '../../../core/sessions/kept-records.ts';
import type { Database } from '../database/database.ts';
import type { WriteTurn } from '../writing/write-turn.ts';

/** The records of supervised runs. */
export function createRunRecords(db: Database, write: WriteTurn): KeptRecords {
  return {
    async save(id, record) {
      await write((tx) =>
        tx.run(
          `INSERT INTO coppice.supervised_runs VALUES (:space, ?, ?)
           ON CONFLICT (space, id) DO UPDATE SET record = excluded.record`,
          id,
          record,
        ),
      );
    },
    async remove(id) {
      await write((tx) => tx.run('DELETE FROM coppice.supervised_runs WHERE space = :space AND id = ?', id));
    },
    async all() {
      const rows = await db.all<{ id: string; record: string }>(
        'SELECT id, record FROM coppice.supervised_runs WHERE space = :space ORDER BY id',
      );
      return new Map(rows.map(({ id, record }) => [id, record]));
    },
  };
}
