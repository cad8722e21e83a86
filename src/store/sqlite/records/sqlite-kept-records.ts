import type { KeptRecords } from '../../../core/sessions/kept-records.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';

/** The records of supervised runs. */
export function createRunRecords(db: Connection, queue: WriteQueue): KeptRecords {
  return {
    save: (id, record) =>
      queue.run(
        () =>
          void db
            .sql('INSERT INTO supervised_runs VALUES (?, ?) ON CONFLICT DO UPDATE SET record = excluded.record')
            .run(id, record),
      ),
    remove: (id) => queue.run(() => void db.sql('DELETE FROM supervised_runs WHERE id = ?').run(id)),
    async all() {
      const rows = db.sql<[], { id: string; record: string }>('SELECT id, record FROM supervised_runs').all();
      return new Map(rows.map(({ id, record }) => [id, record]));
    },
  };
}
