import { Failure } from '../failure.ts';
import { ENDED_BY_HAND } from '../sessions/ended-by-hand.ts';
import { filterable, filterMatch } from '../sessions/filter-match.ts';
import type { ImportStore } from './import-store.ts';
import type { LeaseHolder } from '../sessions/lease-holder.ts';
import type { LedgerQuery } from './ledger-book.ts';
import type { Message } from '../sessions/message.ts';
import type { ModelUsage, SessionFacts } from '../sessions/session.ts';
import type { NamePart } from '../sessions/session-names.ts';
import type { MessageRange, SearchHit, SearchQuery, SessionReader } from './session-reader.ts';
import type { ListCounts, SessionStore, StoreListQuery } from './session-store.ts';

export interface ForeignStoreParts {
  /** The sessions of the other agent. */
  readonly reader: SessionReader;
  /** Coppice's own records about its home. Asked each time: the first change puts a real one in the place of an empty one. */
  readonly records: () => SessionStore;
  /** The refusal of everything that would change a session of that agent. */
  readonly refusal: () => Failure;
}

/**
 * The sessions of another agent together with what Coppice keeps about them. They are read where they are, and nothing about them can be
 * changed here; runs, the trash, the archive with its sessions, and the ledger come from the records.
 */
export function foreignStore(parts: ForeignStoreParts): SessionStore {
  return new ForeignStore(parts);
}

/** So that what is archived is not hidden behind a page of lesser matches. */
const RANK: Readonly<Record<SearchHit['match'], number>> = { title: 0, words: 1, part: 2 };

class ForeignStore implements SessionStore {
  readonly #reader: SessionReader;
  readonly #records: () => SessionStore;
  readonly #refusal: () => Failure;
  readonly create = () => this.#refuse();
  readonly append = () => this.#refuse();
  readonly recordUsage = () => this.#refuse();
  readonly forgetUsageIds = () => this.#refuse();
  readonly recordDumps = () => this.#refuse();
  readonly change = () => this.#refuse();
  readonly endUnused = () => this.#refuse();
  readonly resume = () => this.#refuse();
  readonly imports: ImportStore = {
    begin: () => this.#refuse(),
    append: () => this.#refuse(),
    finish: () => this.#refuse(),
    abandon: () => this.#refuse(),
  };

  constructor({ reader, records, refusal }: ForeignStoreParts) {
    this.#reader = reader;
    this.#records = records;
    this.#refusal = refusal;
  }

  async get(id: string): Promise<SessionFacts | undefined> {
    return (await this.#reader.get(id)) ?? (await this.#records().get(id));
  }

  async idsNamed(part: NamePart, limit: number): Promise<readonly string[]> {
    const [theirs, own] = [this.#reader, this.#records()];
    const ids = [...(await theirs.idsNamed(part, limit)), ...(await own.idsNamed(part, limit))];
    return [...new Set(ids)].slice(0, limit);
  }

  list(query: StoreListQuery = {}): AsyncIterable<SessionFacts> {
    return query.archived === true ? this.#records().list(query) : narrowed(this.#reader, query);
  }

  async *messages(id: string, range?: MessageRange): AsyncGenerator<Message> {
    yield* (await this.#whoHas(id)).messages(id, range);
  }

  async usageByModel(id: string): Promise<readonly ModelUsage[]> {
    return (await this.#whoHas(id)).usageByModel(id);
  }

  async search(query: SearchQuery): Promise<readonly SearchHit[]> {
    const theirs = (await this.#reader.search?.(query)) ?? [];
    // What is being archived at this moment is still the session of its agent.
    const archived = (await this.#records().search(query)).filter(({ session }) => session.archivedAt !== undefined);
    return [...theirs, ...archived].toSorted((a, b) => RANK[a.match] - RANK[b.match]).slice(0, query.limit);
  }

  check() {
    return this.#reader.check();
  }

  /** Only one that was left open, and only as its agent itself would: its reasons are its own. */
  async end(id: string, reason: string): Promise<SessionFacts> {
    const before = await this.get(id);
    const reader = this.#reader;
    const isRefused = reason !== ENDED_BY_HAND || before?.archivedAt !== undefined;
    if (isRefused || reader.endAsOwner === undefined) throw this.#refusal();
    if (before !== undefined && before.endedAt === undefined) await reader.endAsOwner(id);
    const after = await this.get(id);
    if (after === undefined) throw new Failure('not-found', `There is no session with the id ${id}.`);
    return after;
  }

  /** Nothing is claimed here. */
  async release(): Promise<void> {}

  /** The reader tells which sessions are in use, and not by which process: `list` knows the active ones without this. */
  async holders(): Promise<readonly LeaseHolder[]> {
    return [];
  }

  /** No usage is recorded here. */
  async usageIds(): Promise<readonly string[]> {
    return [];
  }

  /** Their lists are read to their end; those of Coppice are counted. */
  get counts(): ListCounts {
    const own = this.#records().counts;
    return {
      sessions: (query) => lengthOf(this.list(query?.filter === undefined ? { ...query, uncounted: true } : query)),
      messages: (id, rewound) => lengthOf(this.messages(id, { rewound })),
      routes: (query) => own.routes(query),
      ledger: (query) => own.ledger(query),
    };
  }

  getMeta(key: string): Promise<string | undefined> {
    return this.#records().getMeta(key);
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.#records().setMeta(key, value);
  }

  ledger(query?: LedgerQuery) {
    return this.#records().ledger(query);
  }

  get ledgerBook() {
    return this.#records().ledgerBook;
  }
  get journal() {
    return this.#records().journal;
  }
  get trash() {
    return this.#records().trash;
  }
  get archive() {
    return this.#records().archive;
  }
  get rewind() {
    return this.#records().rewind;
  }
  get repair() {
    return this.#records().repair;
  }

  /** No step is taken in the sessions of another agent: its books are those of Coppice alone. */
  sizeOf(id: string) {
    return this.#records().sizeOf(id);
  }
  get routes() {
    return this.#records().routes;
  }
  get cron() {
    return this.#records().cron;
  }
  get deliveries() {
    return this.#records().deliveries;
  }
  get requests() {
    return this.#records().requests;
  }
  get runRecords() {
    return this.#records().runRecords;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#records()[Symbol.asyncDispose]();
  }

  async #whoHas(id: string): Promise<SessionReader> {
    return (await this.#reader.get(id)) === undefined ? this.#records() : this.#reader;
  }

  async #refuse(): Promise<never> {
    throw this.#refusal();
  }
}

/** What a reader lists, narrowed down here. It is asked for no more than is needed where that is known. */
async function* narrowed(
  reader: SessionReader,
  { filter, skip = 0, limit = Number.POSITIVE_INFINITY, ...query }: StoreListQuery,
): AsyncGenerator<SessionFacts> {
  const matches = filterMatch(filter ?? {});
  const isPlain = filter === undefined && Number.isFinite(limit);
  let found = 0;
  for await (const facts of reader.list(isPlain ? { ...query, limit: skip + limit } : query)) {
    if (found >= skip + limit) return;
    if (!matches(filterable(facts))) continue;
    found += 1;
    if (found > skip) yield facts;
  }
}

async function lengthOf(items: AsyncIterable<unknown>): Promise<number> {
  let length = 0;
  for await (const _ of items) length += 1;
  return length;
}
