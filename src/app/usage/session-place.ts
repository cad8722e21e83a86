import { databaseStamp } from '../../platform/sqlite/database-stamp.ts';
import type { HomeParts } from '../home-parts.ts';
import { loadFormats } from '../transfer/transcripts/load-formats.ts';
import type { SessionPlace } from './read-sessions.ts';

/** Whose sessions are nobody else's. */
const COPPICE = 'coppice';
/** Sources of sessions in which another agent worked. */
const RUNS: ReadonlySet<string> = new Set(['run', 'cron']);

/** What is to be read of the sessions of a home. */
export async function sessionPlace(parts: HomeParts): Promise<SessionPlace> {
  const { store, layout, foreign, format } = parts;
  if (foreign !== undefined) {
    const databases = [...foreign.databases, layout.database];
    return {
      path: foreign.path,
      // Transcripts tell of each call; what is in the archive and was removed is told of in all where no transcript was seen.
      ...(format === undefined && { sessions: store }),
      ledger: store,
      whose: ({ id }) => ({ agent: foreign.kind, id }),
      supervises: () => false,
      stamp: databaseStamp(databases),
    };
  }
  const agents = new Set((await loadFormats()).map(({ name }) => name));
  return {
    path: layout.root,
    sessions: store,
    ledger: store,
    // What was imported is still the session of its agent. An id that two agents gave ends in the name of the second.
    whose: ({ id, source }) =>
      agents.has(source)
        ? { agent: source, id: id.endsWith(`.${source}`) ? id.slice(0, -source.length - 1) : id }
        : { agent: COPPICE, id },
    supervises: ({ source, outputCount }) => outputCount !== undefined || RUNS.has(source),
    stamp: databaseStamp([layout.database]),
  };
}
