import type { Once } from '../../core/gateway/once.ts';
import { noSuchSession } from '../../core/sessions/check-session.ts';
import type { ImportStore } from '../../core/stores/import-store.ts';
import type { LeaseHolder } from '../../core/sessions/lease-holder.ts';
import type { NewSession, SessionFacts } from '../../core/sessions/session.ts';
import type { SearchHit, SearchQuery } from '../../core/stores/session-reader.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseForeign } from '../refusals/refuse-foreign.ts';
import type { SearchGaps } from '../search/search-gaps.ts';
import type { IndexHomeOptions, SearchOptions } from '../search/search-options.ts';
import type { ExportRequest } from '../transfer/export/export-sessions.ts';
import type { HomeImportOptions } from '../transfer/import-from-home.ts';
import type { ImportOutcome } from '../transfer/import-outcome.ts';
import type { ImportRequest } from '../transfer/import-sessions.ts';
import type { CrashedSession } from './end-crashed.ts';
import { listQuery, type SessionsQuery } from './list-query.ts';
import type { Session } from './session.ts';
import { sessionHandle } from './session-handle.ts';
import type { SessionPage, SessionPageQuery } from './session-pages.ts';
import type { SessionStats, SessionStatsOptions } from './session-stats.ts';

/** The sessions of a home. What only some programs need is loaded when it is called: start-up matters to a command line. */
export class Sessions {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  /** Starts a session. */
  async create(session: NewSession, once?: Once): Promise<Session> {
    const { id } = await this.#parts.store.create(session, once);
    this.#parts.upkeep?.wrote();
    return sessionHandle(this.#parts, id);
  }

  /** A handle on the session with exactly this id; `find` is for what people type. */
  async open(id: string): Promise<Session> {
    if ((await this.get(id)) === undefined) throw noSuchSession(id);
    return sessionHandle(this.#parts, id);
  }

  /** The facts of a session by its whole id. */
  async get(id: string): Promise<SessionFacts | undefined> {
    const { store, settleFirst } = this.#parts;
    const facts = await store.get(id);
    if (facts !== undefined || settleFirst === undefined) return facts;
    // A command that died half-way may have left it in neither place.
    await settleFirst();
    return store.get(id);
  }

  /**
   * The facts of a session by what a person types: its id, `@last` or `@2` (the place in the list), characters that its id alone begins
   * or ends with, its title, or what its title alone begins with. A whole id goes before everything else.
   */
  async find(typed: string): Promise<SessionFacts> {
    const exact = await this.get(typed);
    if (exact !== undefined) return exact;
    const { findByName } = await import('./find-by-name.ts');
    return findByName(this.#parts.store, typed);
  }

  /** For each of these ids the shortest that it can be shown as: typed back, it names that session and no other. */
  async shortIds(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { shortIdOf } = await import('./short-ids.ts');
    const short = new Map<string, string>();
    for (const id of ids) short.set(id, await shortIdOf(this.#parts.store, id));
    return short;
  }

  async *list(query: SessionsQuery = {}): AsyncGenerator<SessionFacts> {
    await this.#parts.settleFirst?.();
    yield* this.#parts.store.list(await listQuery(this.#parts, query));
  }

  /** A part of the list, how long all of it is, and where the next part begins. */
  async page(query: SessionPageQuery = {}): Promise<SessionPage> {
    await this.#parts.settleFirst?.();
    const { sessionPage } = await import('./session-pages.ts');
    return sessionPage(this.#parts, query);
  }

  /** Sessions in which all the words appear, best first, with the place where they do. */
  async search(query: SearchQuery, options?: SearchOptions): Promise<readonly SearchHit[]> {
    await this.#parts.settleFirst?.();
    if (this.#parts.foreign?.searched === undefined) return this.#parts.store.search(query);
    const { searchHome } = await import('../search/search-home.ts');
    return searchHome(this.#parts, query, options);
  }

  /** Reads what is new into the search index, all of it unless it is stopped. Coppice's own sessions are indexed as they are written. */
  async index(options?: IndexHomeOptions): Promise<SearchGaps> {
    const { indexHome } = await import('../search/search-home.ts');
    return indexHome(this.#parts, options);
  }

  /** Removes the search index over homes of other agents. The next search builds it anew. */
  async dropIndex(): Promise<void> {
    const { dropIndex } = await import('../search/open-index.ts');
    await dropIndex(this.#parts);
  }

  /** What people asked in an archived session, as far as search knows it; undefined for one that is not archived. */
  archivedPrompts(id: string): Promise<string | undefined> {
    return this.#parts.store.archive.prompts(id);
  }

  /** Counts and bytes by source, kind of file and age, and what could go. */
  async stats(options?: SessionStatsOptions): Promise<SessionStats> {
    const { sessionStats } = await import('./session-stats.ts');
    return sessionStats(this.#parts, options);
  }

  /** Sessions as text, in pieces: lossless JSON lines, or Markdown or HTML for reading. */
  async *export(request: ExportRequest): AsyncGenerator<string> {
    const { exportSessions } = await import('../transfer/export/export-sessions.ts');
    yield* exportSessions(this.#parts.store, request);
  }

  /** Reads sessions from files that `export` wrote or from loose transcripts, one outcome each. */
  async *import(request: ImportRequest): AsyncGenerator<ImportOutcome> {
    refuseForeign(this.#parts);
    const { importSessions } = await import('../transfer/import-sessions.ts');
    yield* importSessions(this.#parts.store, request);
    this.#parts.upkeep?.wrote();
  }

  /** Brings in the sessions of another agent's home, one outcome each. That home is only read. */
  async *importFrom(home: string, options: HomeImportOptions = {}): AsyncGenerator<ImportOutcome> {
    refuseForeign(this.#parts);
    const { importFromHome } = await import('../transfer/import-from-home.ts');
    yield* importFromHome(this.#parts, home, options);
    this.#parts.upkeep?.wrote();
  }

  /** For who reads sessions elsewhere: builds one out of sight, and shows it when it is whole. */
  get imports(): ImportStore {
    refuseForeign(this.#parts);
    return this.#parts.store.imports;
  }

  /** Ends open sessions whose process died on this machine. Returns them, each with the process that held it. */
  async endCrashed(reason?: string): Promise<readonly CrashedSession[]> {
    const { endCrashed } = await import('./end-crashed.ts');
    return endCrashed(this.#parts, reason);
  }

  /** Every process that claims sessions of this home. */
  holders(): Promise<readonly LeaseHolder[]> {
    return this.#parts.store.holders();
  }
}
