import type { Database } from 'better-sqlite3';
import { Failure } from '../../../core/failure.ts';
import { SESSIONS_SCHEMA } from './001-sessions.ts';
import { RUNS_SCHEMA } from './002-runs.ts';
import { ARCHIVE_SCHEMA } from './003-archive.ts';
import { REWIND_SCHEMA } from './004-rewind.ts';
import { GATEWAY_SCHEMA } from './005-gateway.ts';
import { SEARCH_INDEX_SCHEMA } from './006-search-index.ts';
import { OUTPUT_COUNT_SCHEMA } from './007-output-count.ts';
import { TRASH_INDEX_SCHEMA } from './008-trash-index.ts';
import { IN_USE_SCHEMA } from './009-in-use.ts';
import { REQUESTS_SCHEMA } from './010-requests.ts';
import { NAMES_SCHEMA } from './011-names.ts';

/** Numbered from 1, forward only; every store shares the numbers. A landed migration is never edited. */
const MIGRATIONS: readonly string[] = [
  SESSIONS_SCHEMA,
  RUNS_SCHEMA,
  ARCHIVE_SCHEMA,
  REWIND_SCHEMA,
  GATEWAY_SCHEMA,
  SEARCH_INDEX_SCHEMA,
  OUTPUT_COUNT_SCHEMA,
  TRASH_INDEX_SCHEMA,
  IN_USE_SCHEMA,
  REQUESTS_SCHEMA,
  NAMES_SCHEMA,
];

/** The schema this build writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings the schema up to date, one transaction per step; several processes may try at once and one does it. */
export function migrate(db: Database): void {
  for (let version = schemaVersion(db); version < SCHEMA_VERSION; version = schemaVersion(db)) {
    db.transaction(() => {
      // Another process may have taken this step while we waited for the write lock.
      if (schemaVersion(db) !== version) return;
      db.exec(MIGRATIONS[version] ?? '');
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}

/** Refuses a database that a newer Coppice wrote: what it added could be lost by writing without knowing it. */
export function refuseNewerSchema(db: Database, path: string): void {
  const version = schemaVersion(db);
  if (version <= SCHEMA_VERSION) return;
  throw new Failure(
    'integrity',
    `${path} was written by a newer Coppice (schema ${version}; this one knows up to ${SCHEMA_VERSION}).`,
    { hint: 'Nothing was changed. Update Coppice: npm install --global coppice' },
  );
}

/** Refuses a database that has to be brought up to date first, where nothing can be written. */
export function refuseOlderSchema(db: Database, path: string): void {
  const version = schemaVersion(db);
  if (version === SCHEMA_VERSION) return;
  throw new Failure(
    'refused',
    `${path} was written by an older Coppice (schema ${version}; this one reads ${SCHEMA_VERSION}), and nothing can be written here.`,
    { hint: 'Nothing was changed. Open it once where it can be written, or read it with the older Coppice.' },
  );
}

function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
