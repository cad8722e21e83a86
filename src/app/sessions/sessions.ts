import { noSuchSession } from '../../core/check-session.ts';
import { Failure } from '../../core/failure.ts';
import type { NewSession, SessionFacts } from '../../core/session.ts';
import type { LeaseHolder, ListQuery, SearchHit, SearchQuery } from '../../core/session-store.ts';
import { DAY_MS } from '../../core/time.ts';
import type { DumpRules } from '../../homes/native/request-dumps.ts';
import type { HomeParts } from '../home-parts.ts';
import type { ExportRequest } from '../transfer/export-sessions.ts';
import type { ImportOutcome } from '../transfer/import-outcome.ts';
import type { ImportRequest } from '../transfer/import-sessions.ts';
import { activeQuery } from './active-sessions.ts';
import { Session } from './session.ts';
import { sessionFiles } from './session-files.ts';
import type { SessionStats, StatsOptions } from './session-stats.ts';

/** What to list. `active` asks for sessions that a living process holds, or that were used a moment ago. */
export interface SessionsQuery extends Omit<ListQuery, 'active'> {
  readonly active?: boolean;
}

/** The sessions of a home. What only some programs need is loaded when it is called: start-up matters to a command line. */
export class Sessions {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  /** Starts a session. */
  async create(session: NewSession): Promise<Session> {
    const { id } = await this.#parts.store.create(session);
    return this.#handle(id);
  }

  /** A handle on the session with exactly this id; `find` is for the first characters of one. */
  async open(id: string): Promise<Session> {
    if ((await this.#parts.store.get(id)) === undefined) throw noSuchSession(id);
    return this.#handle(id);
  }

  /** The facts of a session by its whole id. */
  get(id: string): Promise<SessionFacts | undefined> {
    return this.#parts.store.get(id);
  }

  /** The facts of a session by its id or by the first characters of it, when only one begins so. */
  async find(idOrStart: string): Promise<SessionFacts> {
    const { store } = this.#parts;
    const exact = await store.get(idOrStart);
    if (exact !== undefined) return exact;
    const candidates = idOrStart === '' ? [] : await store.idsStartingWith(idOrStart, AMBIGUOUS_SHOWN + 1);
    const [only] = candidates;
    if (candidates.length === 1 && only !== undefined) return this.find(only);
    throw candidates.length === 0 ? noSuchSession(idOrStart) : ambiguous(idOrStart, candidates);
  }

  async *list({ active, ...query }: SessionsQuery = {}): AsyncGenerator<SessionFacts> {
    const { store } = this.#parts;
    yield* store.list({ ...query, ...(active === true && { active: await activeQuery(this.#parts) }) });
  }

  /** Sessions in which all the words appear, best first, with the place where they do. */
  search(query: SearchQuery): Promise<readonly SearchHit[]> {
    return this.#parts.store.search(query);
  }

  /** Counts and bytes by source, kind of file and age, and what could go. */
  async stats(options?: StatsOptions): Promise<SessionStats> {
    const { sessionStats } = await import('./session-stats.ts');
    return sessionStats(this.#parts, options);
  }

  /** Sessions as text, in pieces: lossless JSON lines, or Markdown or HTML for reading. */
  async *export(request: ExportRequest): AsyncGenerator<string> {
    const { exportSessions } = await import('../transfer/export-sessions.ts');
    yield* exportSessions(this.#parts.store, request);
  }

  /** Reads sessions from files that `export` wrote or from loose transcripts, one outcome each. */
  async *import(request: ImportRequest): AsyncGenerator<ImportOutcome> {
    const { importSessions } = await import('../transfer/import-sessions.ts');
    yield* importSessions(this.#parts.store, request);
  }

  /** Every process that claims sessions of this home. */
  holders(): Promise<readonly LeaseHolder[]> {
    return this.#parts.store.holders();
  }

  #handle(id: string): Session {
    const { store, layout, clock } = this.#parts;
    return new Session(id, {
      store,
      files: (sessionId) => sessionFiles(layout, sessionId),
      writeDump: async (sessionId, dump) => {
        const { writeDump } = await import('../../homes/native/request-dumps.ts');
        return writeDump(layout.dumps(sessionId), dump, { rules: this.#dumpRules(), now: clock.now() });
      },
    });
  }

  #dumpRules(): DumpRules {
    const { max_count: maxCount, retention_days: days, redact } = this.#parts.config.dumps;
    return {
      maxCount: maxCount === 'never' ? Number.POSITIVE_INFINITY : maxCount,
      maxAgeMs: days === 'never' ? Number.POSITIVE_INFINITY : days * DAY_MS,
      redactBodies: redact,
    };
  }
}

const AMBIGUOUS_SHOWN = 5;

function ambiguous(start: string, candidates: readonly string[]): Failure {
  const shown = candidates.slice(0, AMBIGUOUS_SHOWN).join(', ');
  const more = candidates.length > AMBIGUOUS_SHOWN ? ', …' : '';
  return new Failure('usage', `Several sessions begin with ${start}: ${shown}${more}`, {
    hint: 'Give more characters of the id.',
  });
}
