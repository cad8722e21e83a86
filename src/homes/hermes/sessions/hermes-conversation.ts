import type { Message } from '../../../core/sessions/message.ts';
import type { MessageRange } from '../../../core/stores/session-reader.ts';
import { hasColumns } from '../../../platform/sqlite/guest-database.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { hermesMessage, type RawMessage } from './hermes-message.ts';

/** Asks the database one question. */
export type Ask = <T>(read: (hermes: HermesDatabase) => T) => Promise<T>;

const PAGE = 200;

/**
 * The messages of a session in the order in which they were stored, numbered from 1, in pages: whoever reads slowly holds
 * nothing open. What was taken back keeps its number and is left out unless asked for.
 */
export async function* readConversation(ask: Ask, id: string, range: MessageRange): AsyncGenerator<Message> {
  const { to = Number.POSITIVE_INFINITY, rewound = false } = range;
  let { seq, after, startedAt } = await ask((hermes) => findStart(hermes, id, range));
  for (;;) {
    const rows = await ask(({ db }) =>
      db
        .prepare<[string, number], RawMessage>(
          `SELECT * FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
        )
        .all(id, after),
    );
    for (const row of rows) {
      seq += 1;
      if (seq > to) return;
      after = Number(row['id']);
      const message = hermesMessage(row, seq, startedAt);
      startedAt = message.at;
      if (rewound || message.rewound !== true) yield message;
    }
    if (rows.length < PAGE) return;
  }
}

interface Start {
  /** How many messages come before the first one, and the id of the last of those. */
  readonly seq: number;
  readonly after: number;
  /** Stands in for a time that a message does not have. */
  readonly startedAt: number;
}

function findStart(hermes: HermesDatabase, id: string, { from, last, rewound = false }: MessageRange): Start {
  const { db } = hermes;
  const seconds = db.prepare<[string]>('SELECT started_at FROM sessions WHERE id = ?').pluck().get(id);
  const startedAt = typeof seconds === 'number' && seconds > 0 ? Math.floor(seconds * 1000) : 0;
  const skipped = (where: string, ...values: number[]): Start => {
    const sql = `SELECT count(*) AS seq, coalesce(max(id), ?) AS after FROM (SELECT id FROM messages WHERE session_id = ? ${where})`;
    const found = db.prepare<(string | number)[], Omit<Start, 'startedAt'>>(sql).get(BEFORE_ALL, id, ...values);
    return { seq: found?.seq ?? 0, after: found?.after ?? BEFORE_ALL, startedAt };
  };
  if (last === undefined) return skipped('ORDER BY id LIMIT ?', Math.max(0, (from ?? 1) - 1));
  const seen = rewound || !hasColumns(hermes, 'messages', ['active', 'compacted']) ? '' : `AND NOT (${REWOUND})`;
  const newest = `SELECT id FROM messages WHERE session_id = ? ${seen} ORDER BY id DESC LIMIT ?`;
  const first = db.prepare<[string, number], number>(`SELECT min(id) FROM (${newest})`).pluck().get(id, last);
  return skipped('AND id < ?', first ?? BEFORE_ALL);
}

const BEFORE_ALL = Number.MIN_SAFE_INTEGER;
const REWOUND = 'active IS 0 AND compacted IS NOT 1';
