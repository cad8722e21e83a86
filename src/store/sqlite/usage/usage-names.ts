import type { Database } from 'better-sqlite3';
import type { UsageSession } from '../../../core/stores/usage-book.ts';

/** Numbers for sessions and models, given out inside the transaction that needs them. */
export interface UsageNames {
  /** Notes that this place told of it. */
  session(session: UsageSession, toldBy: string): { readonly key: number; readonly byCall: boolean };
  model(name: string): number;
  /** A transaction was given up, and the numbers that it gave out with it. */
  forget(): void;
}

export function usageNames(db: Database): UsageNames {
  const find = db.prepare<[string, string], SessionRow>(
    'SELECT key, project, by_call FROM sessions WHERE agent = ? AND id = ?',
  );
  const add = db.prepare<[string, string, string | null], number>(
    'INSERT INTO sessions (agent, id, project) VALUES (?, ?, ?) RETURNING key',
  );
  const seen = db.prepare('INSERT OR IGNORE INTO seen VALUES (?, ?)');
  const place = db.prepare('UPDATE sessions SET project = ? WHERE key = ?');
  const findModel = db.prepare<[string], number>('SELECT key FROM models WHERE name = ?').pluck();
  const addModel = db.prepare<[string], number>('INSERT INTO models (name) VALUES (?) RETURNING key').pluck();
  const models = new Map<string, number>();
  return {
    session({ agent, id, project }, toldBy) {
      const row = find.get(agent, id);
      const key = row?.key ?? add.pluck().get(agent, id, project ?? null) ?? 0;
      seen.run(toldBy, key);
      // The folder in which it began counts.
      if (row?.project === null && project !== undefined) place.run(project, key);
      return { key, byCall: row?.by_call === 1 };
    },
    model(name) {
      const key = models.get(name) ?? findModel.get(name) ?? addModel.get(name) ?? 0;
      models.set(name, key);
      return key;
    },
    forget: () => models.clear(),
  };
}

interface SessionRow {
  readonly key: number;
  readonly project: string | null;
  readonly by_call: number;
}
