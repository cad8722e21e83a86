import type { ListCounts } from '../../../core/stores/session-store.ts';
import type { Connection } from '../database/connection.ts';
import { conditionsOf } from './session-list.ts';
import { REWOUND } from './session-rewind.ts';
import { requireRow } from './session-writes.ts';

/** How long lists are, by the same conditions that they are read with. */
export function createListCounts(db: Connection): ListCounts {
  const countOf = (sql: string, ...values: readonly (string | number | null)[]) =>
    Number(
      db
        .sql<unknown[], number>(`SELECT count(*) FROM ${sql}`)
        .pluck()
        .get(...values),
    );
  return {
    async sessions(query = {}) {
      const { where, values } = conditionsOf(query);
      return countOf(`sessions WHERE ${where}`, ...values);
    },
    async messages(id, rewound) {
      const { key, message_count: stored } = requireRow(db, id);
      const takenBack = countOf('rewinds WHERE session_key = ?', key) > 0;
      // All of them were counted as they came.
      if (rewound || !takenBack) return stored;
      return countOf(`messages WHERE session_key = ? AND NOT ${REWOUND}`, key);
    },
    async routes(source) {
      if (source === undefined) return countOf('routes');
      return countOf(
        `routes r JOIN sessions s ON s.key = r.session_key AND s.state = 'live' WHERE s.source = ?`,
        source,
      );
    },
    async ledger({ source = null, since = Number.MIN_SAFE_INTEGER, before = Number.MAX_SAFE_INTEGER } = {}) {
      const conditions = '(? IS NULL OR source = ?) AND last_active_at >= ? AND last_active_at < ?';
      return countOf(`ledger WHERE ${conditions}`, source, source, since, before);
    },
  };
}
