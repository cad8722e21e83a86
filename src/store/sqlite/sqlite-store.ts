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
import type { TranscriptSink } from '../../core/sessions/transcript.ts';
import type { Clock } from '../../core/time.ts';
import { unlessFailure } from '../../core/unless-failure.ts';
import { type Connection, openConnection } from './database/connection.ts';
import { GatheredAppends } from './sessions/gathered-appends.ts';
import { createPatientQueue, type PatientQueue } from './writing/patient-queue.ts';
import { createWriteQueue, type WriteQueue } from './writing/write-queue.ts';
import { createCronBook } from './gateway/sqlite-cron-book.ts';
import { createDeliveryBook } from './gateway/sqlite-delivery-book.ts';
import { createRouteBook } from './gateway/sqlite-route-book.ts';
import { RequestRows } from './database/request-rows.ts';
import { createJournal } from './records/sqlite-journal.ts';
import { createRunRecords } from './records/sqlite-kept-records.ts';
import { createLedgerBook } from './records/sqlite-ledger-book.ts';
import { createRequestBook } from './records/sqlite-request-book.ts';
import { createSessionArchive } from './records/sqlite-session-archive.ts';
import { createSessionTrash } from './records/sqlite-session-trash.ts';
import { isIndexBehind } from './search/search-index.ts';
import { NOT_ALL_INDEXED, NOT_ALL_SEARCHED } from './search/search-words.ts';
import { endUnused } from './sessions/end-unused.ts';
import { createLeaseBook, type LeaseBook, readHolders } from './sessions/lease-book.ts';
import { createListCounts } from './sessions/list-counts.ts';
import { appendMessages } from './sessions/message-writes.ts';
import { namedIds } from './sessions/named-ids.ts';
import { createImports } from './sessions/session-imports.ts';
import { listSessions } from './sessions/session-list.ts';
import { readLedger, usageRows } from './sessions/session-removal.ts';
import { createRewind, readConversation } from './sessions/session-rewind.ts';
import { factsOf, modelUsageOf } from '../rows/session-rows.ts';
import {
  changeSession,
  endSession,
  findKeptRow,
  insertSession,
  requireRow,
  resumeSession,
} from './sessions/session-writes.ts';
import { forgetUsageIds, recordUsageOnce, usageIds } from './sessions/usage-ids.ts';
import { createStoreRepair } from './store-repairs.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder must exist. */
  readonly path: string;
  /** Where a check may put a copy of the database for a moment. */
  readonly scratchDir: string;
  readonly clock: Clock;
  readonly transcripts: TranscriptSink;
  /** It is closed soon: on a full disk others may wait for that. */
  readonly brief?: boolean;
  /** Nothing can be written there: it is opened to be read, and every change fails. */
  readonly onlyRead?: boolean;
  /** Told, in a sentence, what is not as it should be and nobody asked for. */
  readonly tell?: (sentence: string) => void;
}

/** Opens the embedded session store. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  return new SqliteStore(await openConnection(options.path, options), options);
}

class SqliteStore implements SessionStore {
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
  readonly #db: Connection;
  readonly #queue: WriteQueue;
  readonly #patient: PatientQueue;
  readonly #leases: LeaseBook;
  readonly #appends: GatheredAppends;
  readonly #requests: RequestRows;
  readonly #options: SqliteStoreOptions;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(db: Connection, options: SqliteStoreOptions) {
    this.#db = db;
    this.#options = options;
    this.#queue = createWriteQueue(db);
    this.#leases = createLeaseBook(db, options.clock);
    this.#requests = new RequestRows(db, options.clock);
    this.#appends = new GatheredAppends(this.#queue, (id, messages, limits = {}) =>
      this.#requests.once(limits.once, () => {
        const { transcripts } = options;
        const { key, receipt } = appendMessages(db, { id, messages, now: this.#now(), transcripts, ...limits });
        this.#leases.claim(key);
        return receipt;
      }),
    );
    const patient = createPatientQueue(db, this.#queue);
    this.#patient = patient;
    this.imports = createImports(db, patient, this.#requests);
    this.ledgerBook = createLedgerBook(db, this.#queue);
    this.counts = createListCounts(db);
    this.trash = createSessionTrash(db, patient, options.clock);
    this.archive = createSessionArchive(db, patient, options.clock);
    this.rewind = createRewind(db, this.#queue);
    this.journal = createJournal(db, patient);
    const parts = { db, queue: this.#queue, clock: options.clock, leases: this.#leases, requests: this.#requests };
    this.routes = createRouteBook(parts);
    this.cron = createCronBook(db, this.#queue, options.clock);
    this.deliveries = createDeliveryBook(db, this.#queue, options.clock);
    this.requests = createRequestBook(this.#requests, this.#queue);
    this.runRecords = createRunRecords(db, this.#queue);
    this.repair = createStoreRepair(db, patient, options.transcripts);
    this.#heartbeat = setInterval(() => this.#beat(), this.#leases.heartbeatMs).unref();
  }

  create(session: NewSession, once?: Once): Promise<SessionFacts> {
    return this.#once(once, () => {
      const row = insertSession(this.#db, session, this.#now());
      this.#leases.claim(row.key);
      return factsOf(row);
    });
  }

  async get(id: string): Promise<SessionFacts | undefined> {
    const row = findKeptRow(this.#db, id);
    return row && factsOf(row);
  }

  async sizeOf(id: string): Promise<SessionSize | undefined> {
    return this.#db
      .sql<[string], SessionSize>(
        `SELECT message_count - output_count AS messages, content_bytes + transcript_bytes + dump_bytes AS bytes
         FROM sessions WHERE id = ? AND state IN ('live', 'archived')`,
      )
      .get(id);
  }

  async idsNamed(part: NamePart, limit: number): Promise<readonly string[]> {
    return namedIds(this.#db, part, limit);
  }

  async *list(query: StoreListQuery = {}): AsyncGenerator<SessionFacts> {
    yield* listSessions(this.#db, query);
  }

  async append(id: string, messages: readonly NewMessage[], options?: AppendOptions): Promise<AppendReceipt> {
    return this.#appends.add(id, messages, options);
  }

  async *messages(id: string, range: MessageRange = {}): AsyncGenerator<Message> {
    yield* readConversation(this.#db, requireRow(this.#db, id).key, range);
  }

  recordUsage(id: string, report: UsageReport, { request, ...options }: UsageOptions = {}): Promise<void> {
    return this.#once(request, () => {
      recordUsageOnce(this.#db, { id, report, now: this.#now(), ...options });
      if (options.late !== true) this.#claimOpen(id);
    });
  }

  async usageIds(): Promise<readonly string[]> {
    return usageIds(this.#db);
  }

  async forgetUsageIds(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#queue.run(() => forgetUsageIds(this.#db, ids));
  }

  async usageByModel(id: string): Promise<readonly ModelUsage[]> {
    const { key } = findKeptRow(this.#db, id) ?? requireRow(this.#db, id);
    return usageRows(this.#db, key).map(modelUsageOf);
  }

  recordDumps(id: string, { sizeBytes }: { readonly sizeBytes: number }): Promise<void> {
    return this.#queue.run(() => {
      this.#db
        .sql('UPDATE sessions SET dump_bytes = ?, last_active_at = max(?, last_active_at) WHERE key = ?')
        .run(sizeBytes, this.#now(), requireRow(this.#db, id).key);
      this.#claimOpen(id);
    });
  }

  change(id: string, change: SessionChange): Promise<SessionFacts> {
    return this.#queue.run(() => factsOf(changeSession(this.#db, id, change)));
  }

  end(id: string, reason: string): Promise<SessionFacts> {
    return this.#queue.run(() => {
      const row = endSession(this.#db, { id, reason, now: this.#now() });
      this.#leases.release(row.key);
      return factsOf(row);
    });
  }

  endUnused(sessions: readonly UnusedSession[], options: EndUnusedOptions): Promise<readonly string[]> {
    return endUnused({ db: this.#db, queue: this.#patient, now: this.#now() }, sessions, options);
  }

  resume(id: string): Promise<SessionFacts> {
    return this.#queue.run(() => factsOf(resumeSession(this.#db, id, this.#now())));
  }

  async *ledger(query?: LedgerQuery) {
    yield* readLedger(this.#db, query);
  }

  async search(query: SearchQuery) {
    const { searchSessions } = await import('./sessions/search.ts');
    await this.#queue.indexed();
    if (isIndexBehind(this.#db)) this.#options.tell?.(this.#db.raw.readonly ? NOT_ALL_INDEXED : NOT_ALL_SEARCHED);
    return searchSessions(this.#db, query);
  }

  async release(id: string): Promise<void> {
    await this.#queue.run(() => this.#leases.release(requireRow(this.#db, id).key));
  }

  async holders() {
    return readHolders(this.#db);
  }

  async getMeta(key: string): Promise<string | undefined> {
    return this.#db.sql<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key);
  }

  async setMeta(key: string, value: string): Promise<void> {
    await this.#queue.run(() => {
      this.#db.sql('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, value);
    });
  }

  async *check() {
    const { checkStore } = await import('./store-checks.ts');
    yield* checkStore(this.#db, this.#options.scratchDir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat);
    try {
      await this.#queue.settled();
      // Whoever is next would pay for it. What cannot be done now is left to them.
      await this.#queue.caughtUp().catch(unlessFailure);
      if (this.#leases.announced) await this.#queue.run(() => this.#leases.releaseAll());
    } finally {
      this.#db[Symbol.dispose]();
    }
  }

  /** A write that is done once under a key, where one is given. */
  #once<T>(once: Once | undefined, write: () => T): Promise<T> {
    return this.#queue.run(() => this.#requests.once(once, write));
  }

  /** Whoever works in a session holds it, whatever it writes. What has ended is only being counted up. */
  #claimOpen(id: string): void {
    const { key, ended_at: endedAt } = requireRow(this.#db, id);
    if (endedAt === null) this.#leases.claim(key);
  }

  /** A beat that the disk or a lock refuses is made up for by the next; the host program must not notice. */
  #beat(): void {
    if (this.#leases.announced) this.#queue.run(() => this.#leases.beat()).catch(unlessFailure);
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
