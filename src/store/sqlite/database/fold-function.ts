import type { Database } from 'better-sqlite3';
import { fold } from '../../../core/sessions/filter-match.ts';

/** The function in SQL that folds text as everybody here does; the one that SQLite has knows ASCII alone. No schema may use it. */
export const FOLD = 'coppice_fold';

export function addFold(raw: Database): void {
  raw.function(FOLD, { deterministic: true }, (text) => (typeof text === 'string' ? fold(text) : null));
}
