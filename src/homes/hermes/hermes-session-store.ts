import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { ENDED_BY_HAND } from '../../core/sessions/ended-by-hand.ts';
import type { LedgerQuery } from '../../core/sessions/ledger-book.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { ModelUsage, SessionFacts, SessionSize } from '../../core/sessions/session.ts';
import type {
  ImportStore,
  LeaseHolder,
  ListCounts,
  ListQuery,
  MessageRange,
  SearchHit,
  SearchQuery,
  SessionStore,
} from '../../core/sessions/session-store.ts';
import type { Clock } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { checkHermesDatabase } from './check-hermes-database.ts';
import { endHermesSession } from './end-hermes-session.ts';
import { type HermesDatabase, readHermes } from './hermes-connection.ts';
import { readConversation } from './hermes-conversation.ts';
import { hermesFacts } from './hermes-facts.ts';
import { readIds, readSession } from './hermes-rows.ts';
import { searchHermes } from './hermes-search.ts';
import type { FileBytes } from './hermes-session-item.ts';
import { readUsageByModel } from './hermes-usage.ts';
import { listHermes } from './list-hermes.ts';
import { listSessionFiles, lookAtFiles, type SessionFiles, sumSizes } from './session-files.ts';

export interface HermesStoreParts {
  readonly home: string;
  readonly clock: Clock;
  /** Coppice's own records about this home. Asked each time: the first change puts a real one in the place of an empty one. */
  readonly companion: () => SessionStore;
}

/**
 * The sessions of a Hermes home, for reading. Nothing about them can be changed here; runs, the trash, the archive and the
 * ledger are Coppice's own and come from its records. No connection is held between two questions.
 */
export function createHermesSessionStore(parts: HermesStoreParts): SessionStore {
  return new HermesSessionStore(parts);
}

/** The refusal of everything that would change a session of Hermes. */
function belongsToHermes(): Failure {
  const message = 'This session belongs to Hermes. Coppice only cuts back what Hermes keeps; change it with Hermes.';
  return new Failure('usage', message, { hint: 'See what Hermes can do with: hermes sessions --help' });
}

async function refuse(): Promise<never> {
  throw belongsToHermes();
}

function unreadable(cause: unknown): Failure {
  const why = errorText(cause);
  const hint = 'Nothing was changed. See what is wrong with: coppice doctor';
  return new Failure('integrity', `The database of Hermes cannot be read: ${why}.`, { hint, cause });
}

/** So that what is archived is not hidden behind a page of lesser matches. */
const RANK: Readonly<Record<SearchHit['match'], number>> = { title: 0, words: 1, part: 2 };

class HermesSessionStore implements SessionStore {
  readonly create = refuse;
  readonly append = refuse;
  readonly recordUsage = refuse;
  readonly forgetUsageIds = refuse;
  readonly recordDumps = refuse;
  readonly change = refuse;
  readonly endUnused = refuse;
  readonly resume = refuse;
  readonly imports: ImportStore = { begin: refuse, append: refuse, finish: refuse, abandon: refuse };
  readonly #parts: HermesStoreParts;
  #files: { readonly stamp: bigint | undefined; readonly known: SessionFiles } | undefined;

  constructor(parts: HermesStoreParts) {
    this.#parts = parts;
  }

  /** Its own lists are read to their end; those of Coppice are counted. */
  get counts(): ListCounts {
    const own = this.#own.counts;
    return {
      sessions: (query) => lengthOf(this.list(query)),
      messages: (id, rewound) => lengthOf(this.messages(id, { rewound })),
      routes: (query) => own.routes(query),
      ledger: (query) => own.ledger(query),
    };
  }
  get ledgerBook() {
    return this.#own.ledgerBook;
  }
  get trash() {
    return this.#own.trash;
  }
  get archive() {
    return this.#own.archive;
  }
  get rewind() {
    return this.#own.rewind;
  }
  get journal() {
    return this.#own.journal;
  }
  get routes() {
    return this.#own.routes;
  }
  get cron() {
    return this.#own.cron;
  }
  get deliveries() {
    return this.#own.deliveries;
  }
  get requests() {
    return this.#own.requests;
  }
  get runRecords() {
    return this.#own.runRecords;
  }
  get repair() {
    return this.#own.repair;
  }

  /** Only one that was left open, and only as Hermes itself would: its reasons are its own. */
  async end(id: string, reason: string): Promise<SessionFacts> {
    const { home, clock } = this.#parts;
    const before = await this.get(id);
    if (reason !== ENDED_BY_HAND || before?.archivedAt !== undefined) throw belongsToHermes();
    if (before !== undefined && before.endedAt === undefined) await endHermesSession({ home, now: clock.now() }, id);
    const after = await this.get(id);
    if (after === undefined) throw new Failure('not-found', `There is no session with the id ${id}.`);
    return after;
  }

  async get(id: string): Promise<SessionFacts | undefined> {
    return (await this.#read((hermes) => this.#facts(hermes, id))) ?? (await this.#own.get(id));
  }

  /** No step is taken in the sessions of Hermes, so only those in our own store are asked for. */
  sizeOf(id: string): SessionSize | undefined {
    return this.#own.sizeOf(id);
  }

  async idsStartingWith(prefix: string, limit: number): Promise<readonly string[]> {
    const sql = `SELECT id FROM sessions WHERE typeof(id) = 'text' AND id >= ? AND id < ? ORDER BY id LIMIT ?`;
    const ids = await this.#read(({ db }) =>
      db.prepare<[string, string, number], string>(sql).pluck().all(prefix, `${prefix}\u{10ffff}`, limit),
    );
    return [...new Set([...ids, ...(await this.#own.idsStartingWith(prefix, limit))])].slice(0, limit);
  }

  async *list(query: ListQuery = {}): AsyncGenerator<SessionFacts> {
    const { home, clock } = this.#parts;
    if (query.archived === true) {
      yield* this.#own.list(query);
      return;
    }
    const sessions = await this.#ask((hermes) =>
      listHermes(hermes, { home, query, bytesOf: this.#bytesOf(hermes), now: clock.now() }),
    );
    // A long list has files of its own to be told about, and whoever reads it may take a while.
    if (query.limit === undefined) this.#files = undefined;
    yield* sessions;
  }

  async *messages(id: string, range: MessageRange = {}): AsyncGenerator<Message> {
    if (await this.#has(id)) yield* readConversation((read) => this.#read(read), id, range);
    else yield* this.#own.messages(id, range);
  }

  async usageByModel(id: string): Promise<readonly ModelUsage[]> {
    if (!(await this.#has(id))) return this.#own.usageByModel(id);
    return this.#read((hermes) => readUsageByModel(hermes, id));
  }

  ledger(query?: LedgerQuery) {
    return this.#own.ledger(query);
  }

  async search(query: SearchQuery): Promise<readonly SearchHit[]> {
    const hits = await this.#ask(async (hermes) => {
      const found = await searchHermes(hermes, query);
      return found.flatMap(({ id, ...hit }): SearchHit[] => {
        const session = this.#facts(hermes, id);
        return session === undefined ? [] : [{ session, ...hit }];
      });
    });
    // What is being archived at this moment is still the session of Hermes.
    const archived = (await this.#own.search(query)).filter(({ session }) => session.archivedAt !== undefined);
    return [...hits, ...archived].toSorted((a, b) => RANK[a.match] - RANK[b.match]).slice(0, query.limit);
  }

  /** Nothing is claimed here. */
  async release(): Promise<void> {}

  /** Hermes tells which sessions are in use, and not by which process: `list` knows the active ones without this. */
  async holders(): Promise<readonly LeaseHolder[]> {
    return [];
  }

  /** No usage is recorded here. */
  async usageIds(): Promise<readonly string[]> {
    return [];
  }

  getMeta(key: string): Promise<string | undefined> {
    return this.#own.getMeta(key);
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.#own.setMeta(key, value);
  }

  check() {
    return checkHermesDatabase(this.#parts.home);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#own[Symbol.asyncDispose]();
  }

  get #own(): SessionStore {
    return this.#parts.companion();
  }

  #read<T>(read: (hermes: HermesDatabase) => T): Promise<T> {
    return this.#ask(async (hermes) => read(hermes));
  }

  async #ask<T>(read: (hermes: HermesDatabase) => Promise<T>): Promise<T> {
    try {
      return await readHermes(this.#parts.home, read);
    } catch (error) {
      if (!errorCode(error)?.startsWith('SQLITE_')) throw error;
      throw unreadable(error);
    }
  }

  #has(id: string): Promise<boolean> {
    return this.#read(({ db }) => db.prepare('SELECT 1 FROM sessions WHERE id = ?').get(id) !== undefined);
  }

  #facts(hermes: HermesDatabase, id: string): SessionFacts | undefined {
    const row = readSession(hermes, id);
    return row && hermesFacts(row, this.#bytesOf(hermes)(id));
  }

  /** The bytes of a session's files. Names are read again once the folder has changed. */
  #bytesOf(hermes: HermesDatabase): (id: string) => FileBytes {
    const sessions = join(this.#parts.home, 'sessions');
    const stamp = statSync(sessions, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (this.#files === undefined || this.#files.stamp !== stamp) {
      this.#files = { stamp, known: listSessionFiles(this.#parts.home, readIds(hermes)) };
    }
    const { known } = this.#files;
    return (id) => sumSizes(lookAtFiles(this.#parts.home, known.of(id)));
  }
}

async function lengthOf(items: AsyncIterable<unknown>): Promise<number> {
  let length = 0;
  for await (const _ of items) length += 1;
  return length;
}
