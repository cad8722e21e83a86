import type { Once } from '../../core/gateway/once.ts';
import type { LedgerQuery } from '../../core/stores/ledger-book.ts';
import type { Message, NewMessage } from '../../core/sessions/message.ts';
import type {
  ModelUsage,
  NewSession,
  SessionChange,
  SessionFacts,
  SessionSize,
  UsageReport,
} from '../../core/sessions/session.ts';
import type { NamePart } from '../../core/sessions/session-names.ts';
import type { MessageRange, SearchQuery } from '../../core/stores/session-reader.ts';
import type { SessionStore, StoreListQuery } from '../../core/stores/session-store.ts';
import type {
  AppendOptions,
  AppendReceipt,
  EndUnusedOptions,
  UnusedSession,
  UsageOptions,
} from '../../core/stores/session-writer.ts';
import type { Clock } from '../../core/time.ts';
import { unlessFailure } from '../../core/unless-failure.ts';
import { factsOf, modelUsageOf } from '../rows/session-rows.ts';
import { digestOf } from './database/bound-text.ts';
import type { Database } from './database/database.ts';
import { createRequestBook, RequestRows } from './database/request-rows.ts';
import type { Sql } from './database/sql.ts';
import { createCronBook } from './gateway/cron-book.ts';
import { createDeliveryBook } from './gateway/delivery-book.ts';
import { createRouteBook } from './gateway/route-book.ts';
import { createJournal } from './records/journal.ts';
import { createRunRecords } from './records/kept-records.ts';
import { createLedgerBook } from './records/ledger-book.ts';
import { createSessionArchive } from './records/session-archive.ts';
import { createSessionTrash } from './records/session-trash.ts';
import { SearchIndexer } from './search/search-indexer.ts';
import { endUnused } from './sessions/end-unused.ts';
import { GatheredAppends } from './sessions/gathered-appends.ts';
import { HEARTBEAT_MS, LeaseBook, readHolders } from './sessions/lease-book.ts';
import { createListCounts } from './sessions/list-counts.ts';
import { type Append, appendMessages } from './sessions/message-writes.ts';
import { namedIds } from './sessions/named-ids.ts';
import { createImports } from './sessions/session-imports.ts';
import { listSessions } from './sessions/session-list.ts';
import { readLedger, usageRows } from './sessions/session-removal.ts';
import { createRewind, readConversation } from './sessions/session-rewind.ts';
import {
  changeSession,
  endSession,
  findKeptRow,
  insertSession,
  readRow,
  requireRow,
  resumeSession,
} from './sessions/session-writes.ts';
import { forgetUsageIds, recordUsageOnce, usageIds } from './sessions/usage-ids.ts';
import { createStoreRepair } from './store-repairs.ts';
import { WriteLine } from './writing/write-line.ts';
import type { WriteTurn } from './writing/write-turn.ts';

export interface PostgresStoreOptions {
  /** The home on its server. Whoever opened it closes it, after the store. */
  readonly database: Database;
  readonly clock: Clock;
}

/** Opens the sessions of a home on a server. */
export function openPostgresStore(options: PostgresStoreOptions): SessionStore {
  return new PostgresStore(options);
}

class PostgresStore implements SessionStore {
  readonly imports: SessionStore['imports'];
  readonly ledgerBook: SessionStore['ledgerBook'];
  readonly counts: SessionStore['counts'];
  readonly trash: SessionStore['trash'];
  readonly archive: SessionStore['archive'];
  readonly rewind: SessionStore['rewind'];
  readonly journal: SessionStore['journal'];
  readonly routes: SessionStore['routes'];
  readonly cron: SessionStore['cron'];
  readonly deliveries: SessionStore['deliveries'];
  readonly requests: SessionStore['requests'];
  readonly runRecords: SessionStore['runRecords'];
  readonly repair: SessionStore['repair'];
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #line = new WriteLine();
  readonly #write: WriteTurn;
  readonly #leases: LeaseBook;
  readonly #appends: GatheredAppends;
  readonly #requests: RequestRows;
  readonly #indexer: SearchIndexer;
  readonly #heartbeat: NodeJS.Timeout;

  constructor({ database: db, clock }: PostgresStoreOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#leases = new LeaseBook(clock);
    this.#requests = new RequestRows('state', clock);
    this.#indexer = new SearchIndexer(db);
    const write: WriteTurn = (work) => this.#line.run(() => db.write(work));
    this.#write = write;
    this.#appends = new GatheredAppends({
      db,
      line: this.#line,
      holderId: this.#leases.holderId,
      now: () => clock.now(),
      alone: (append, options = {}) =>
        db.write((tx) => this.#requests.once(tx, options.once, () => this.#appendAlone(tx, { ...append, ...options }))),
    });
    this.imports = createImports(write, this.#requests);
    this.ledgerBook = createLedgerBook(write);
    this.counts = createListCounts(db);
    this.trash = createSessionTrash(db, write, clock);
    this.archive = createSessionArchive(db, write, clock);
    this.rewind = createRewind(write);
    this.journal = createJournal(db, write);
    this.routes = createRouteBook({ db, write, clock, leases: this.#leases, requests: this.#requests });
    this.cron = createCronBook(db, write, clock);
    this.deliveries = createDeliveryBook(db, write, clock);
    this.requests = createRequestBook(db, this.#requests);
    this.runRecords = createRunRecords(db, write);
    this.repair = createStoreRepair(db, write);
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  create(session: NewSession, once?: Once): Promise<SessionFacts> {
    return this.#once(once, async (tx) => {
      const row = await insertSession(tx, session, this.#now());
      await this.#leases.claim(tx, row.key);
      return factsOf(row);
    });
  }

  async get(id: string): Promise<SessionFacts | undefined> {
    const row = await findKeptRow(this.#db, id);
    return row && factsOf(row);
  }

  sizeOf(id: string): Promise<SessionSize | undefined> {
    return this.#db.get<SessionSize>(
      `SELECT message_count - output_count AS messages, content_bytes + transcript_bytes + dump_bytes AS bytes
       FROM coppice.sessions WHERE space = :space AND id = ? AND state IN ('live', 'archived')`,
      id,
    );
  }

  idsNamed(part: NamePart, limit: number): Promise<readonly string[]> {
    return namedIds(this.#db, part, limit);
  }

  list(query: StoreListQuery = {}): AsyncGenerator<SessionFacts> {
    return listSessions(this.#db, query);
  }

  async append(id: string, messages: readonly NewMessage[], options?: AppendOptions): Promise<AppendReceipt> {
    const receipt = await this.#appends.add(id, messages, options);
    this.#indexer.note();
    return receipt;
  }

  async *messages(id: string, range: MessageRange = {}): AsyncGenerator<Message> {
    yield* readConversation(this.#db, (await readRow(this.#db, id)).key, range);
  }

  recordUsage(id: string, report: UsageReport, { request, ...options }: UsageOptions = {}): Promise<void> {
    return this.#once(request, async (tx) => {
      await recordUsageOnce(tx, { id, report, now: this.#now(), ...options });
      if (options.late !== true) await this.#claimOpen(tx, id);
    });
  }

  usageIds(): Promise<readonly string[]> {
    return usageIds(this.#db);
  }

  async forgetUsageIds(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#write((tx) => forgetUsageIds(tx, ids));
  }

  async usageByModel(id: string): Promise<readonly ModelUsage[]> {
    const { key } = (await findKeptRow(this.#db, id)) ?? (await readRow(this.#db, id));
    return (await usageRows(this.#db, key)).map(modelUsageOf);
  }

  recordDumps(id: string, { sizeBytes }: { readonly sizeBytes: number }): Promise<void> {
    return this.#write(async (tx) => {
      const { key } = await requireRow(tx, id);
      await tx.run(
        'UPDATE coppice.sessions SET dump_bytes = ?, last_active_at = greatest(?, last_active_at) WHERE key = ?',
        sizeBytes,
        this.#now(),
        key,
      );
      await this.#claimOpen(tx, id);
    });
  }

  change(id: string, change: SessionChange): Promise<SessionFacts> {
    return this.#write(async (tx) => factsOf(await changeSession(tx, id, change)));
  }

  end(id: string, reason: string): Promise<SessionFacts> {
    return this.#write(async (tx) => {
      const row = await endSession(tx, { id, reason, now: this.#now() });
      await this.#leases.release(tx, row.key);
      return factsOf(row);
    });
  }

  endUnused(sessions: readonly UnusedSession[], options: EndUnusedOptions): Promise<readonly string[]> {
    return endUnused(this.#write, sessions, { ...options, now: this.#now() });
  }

  resume(id: string): Promise<SessionFacts> {
    return this.#write(async (tx) => factsOf(await resumeSession(tx, id, this.#now())));
  }

  ledger(query?: LedgerQuery) {
    return readLedger(this.#db, query);
  }

  async search(query: SearchQuery) {
    const { searchSessions } = await import('./search/search-sessions.ts');
    await this.#line.settled();
    await this.#indexer.caughtUp();
    return searchSessions(this.#db, query);
  }

  release(id: string): Promise<void> {
    return this.#write(async (tx) => this.#leases.release(tx, (await requireRow(tx, id)).key));
  }

  holders() {
    return readHolders(this.#db);
  }

  async getMeta(key: string): Promise<string | undefined> {
    const row = await this.#db.get<{ value: string }>(
      'SELECT value FROM coppice.meta WHERE space = :space AND key_digest = ?',
      digestOf(key),
    );
    return row?.value;
  }

  async setMeta(key: string, value: string): Promise<void> {
    await this.#write((tx) =>
      tx.run(
        `INSERT INTO coppice.meta (space, key_digest, key, value) VALUES (:space, ?, ?, ?)
         ON CONFLICT (space, key_digest) DO UPDATE SET value = excluded.value`,
        digestOf(key),
        key,
        value,
      ),
    );
  }

  async *check() {
    const { checkStore } = await import('./store-checks.ts');
    await this.#line.settled();
    yield* checkStore(this.#db);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#line.settled();
    await this.#indexer[Symbol.asyncDispose]();
    if (this.#leases.announced) await this.#write((tx) => this.#leases.releaseAll(tx));
  }

  /** A write that is done once under a key, where one is given. */
  #once<T>(once: Once | undefined, write: (tx: Sql) => Promise<T>): Promise<T> {
    return this.#write((tx) => this.#requests.once(tx, once, () => write(tx)));
  }

  async #appendAlone(tx: Sql, append: Omit<Append, 'now'>): Promise<AppendReceipt> {
    const { key, receipt } = await appendMessages(tx, { ...append, now: this.#now() });
    await this.#leases.claim(tx, key);
    return receipt;
  }

  /** Whoever works in a session holds it, whatever it writes. What has ended is only being counted up. */
  async #claimOpen(tx: Sql, id: string): Promise<void> {
    const { key, ended_at: endedAt } = await requireRow(tx, id);
    if (endedAt === null) await this.#leases.claim(tx, key);
  }

  /** A beat that the server refuses is made up for by the next; the host program must not notice. */
  #beat(): void {
    if (!this.#leases.announced) return;
    const beat = this.#write((tx) => this.#leases.beat(tx)).then(() => this.#db.forgetCommits());
    this.#db.inBackground(beat.catch(unlessFailure));
  }

  #now(): number {
    return this.#clock.now();
  }
}
