import type { ListCounts } from '../../../core/stores/session-store.ts';
import type { Sql, Value } from '../database/sql.ts';
import { conditionsOf, wholeInstant } from './session-list.ts';
import { REWOUND } from './session-rewind.ts';
import { readRow } from './session-writes.ts';

/** How long lists are, by the same conditions that they are read with. */
export function createListCounts(sql: Sql): ListCounts {
  const countOf = async (from: string, ...values: readonly Value[]) => {
    const row = await sql.get<{ counted: number }>(`SELECT count(*) AS counted FROM ${from}`, ...values);
    return row?.counted ?? 0;
  };
  return {
    async sessions(query = {}) {
      const { where, values } = conditionsOf(query);
      return countOf(`coppice.sessions WHERE ${where}`, ...values);
    },
    async messages(id, rewound) {
      const { key, message_count: stored } = await readRow(sql, id);
      const takenBack = rewound ? 0 : await countOf('coppice.rewinds WHERE session_key = ?', key);
      // All of them were counted as they came.
      if (takenBack === 0) return stored;
      return countOf(`coppice.messages WHERE session_key = ? AND NOT ${REWOUND}`, key);
    },
    async routes(source) {
      if (source === undefined) return countOf('coppice.routes WHERE space = :space');
      return countOf(
        `coppice.routes r JOIN coppice.sessions s ON s.key = r.session_key AND s.state = 'live'
         WHERE r.space = :space AND s.source = ?`,
        source,
      );
    },
    async ledger({ source, since = Number.MIN_SAFE_INTEGER, before = Number.MAX_SAFE_INTEGER } = {}) {
      return countOf(
        `coppice.ledger WHERE space = :space AND source = coalesce(?, source) AND last_active_at >= ? AND last_active_at < ?`,
        source,
        wholeInstant(since),
        wholeInstant(before),
      );
    },
  };
}
