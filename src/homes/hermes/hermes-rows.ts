import { setImmediate } from 'node:timers/promises';
import type { EpochMs } from '../../core/time.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import { type ChildFacts, type Markers, readMarkers } from './hermes-lineage.ts';

/** One session as its rows tell it. Instants are milliseconds; Hermes stores seconds. */
export interface HermesRow {
  readonly id: string;
  readonly source: string;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  readonly title?: string;
  readonly model?: string;
  readonly workdir?: string;
  readonly parentId?: string;
  readonly parent?: NonNullable<ChildFacts['parent']>;
  /** Absent when `model_config` is not what Hermes writes. */
  readonly markers?: Markers;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly handedOff: boolean;
  readonly messages: MessageSum;
  /** Text and blobs of its row and of its messages. */
  readonly sizeBytes: number;
  /** Something in the row is not of the kind it has to be, so that nothing about its age or use is certain. */
  readonly unreadable: boolean;
}

/** What tells whether one part of a conversation is in use, and which part comes next. */
export type HermesPart = Omit<HermesRow, 'messages' | 'sizeBytes'>;

export interface MessageSum {
  readonly count: number;
  readonly lastId: number;
  readonly lastAt: EpochMs;
  readonly sizeBytes: number;
}

const NO_MESSAGES: MessageSum = { count: 0, lastId: 0, lastAt: 0, sizeBytes: 0 };

/** Every session, in short reads of one page each, so that no reader holds up Hermes. Takes each sum it uses from `sums`. */
export async function* readSessions(
  hermes: HermesDatabase,
  sums: Map<string, MessageSum>,
): AsyncGenerator<HermesRow | { readonly badId: number }> {
  const page = hermes.db.prepare<[number], RawRow>(
    `${selectSessions(hermes)} WHERE s.rowid > ? ORDER BY s.rowid LIMIT ${SESSIONS_A_PAGE}`,
  );
  for (let place = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(place);
    for (const row of rows) {
      place = row.place;
      if (typeof row.id !== 'string' || row.id.includes('\uFFFD')) yield { badId: place };
      else yield toRow(row.id, row, sums.get(row.id) ?? NO_MESSAGES);
      if (typeof row.id === 'string') sums.delete(row.id);
    }
    if (rows.length < SESSIONS_A_PAGE) return;
    await setImmediate();
  }
}

/** The ids of all sessions. */
export function readIds({ db }: HermesDatabase): string[] {
  return db.prepare<[], string>(`SELECT id FROM sessions WHERE typeof(id) = 'text'`).pluck().all();
}

/** One session as it is now, for comparing it again before anything happens to it. */
export function readSession(hermes: HermesDatabase, id: string): HermesRow | undefined {
  const sums = `count(*) AS count, max(id) AS last_id, max(timestamp) AS last_at, sum(${byteSum(hermes, 'messages', '')}) AS bytes`;
  return readOne(hermes, id, sums);
}

/** The same without what its messages add up to: asked under the write lock, and a conversation may have 100 000 of them. */
export function readPart(hermes: HermesDatabase, id: string): HermesPart | undefined {
  return readOne(hermes, id, '0 AS count, 0 AS last_id, max(timestamp) AS last_at, 0 AS bytes');
}

function readOne(hermes: HermesDatabase, id: string, sums: string): HermesRow | undefined {
  const row = hermes.db.prepare<[string], RawRow>(`${selectSessions(hermes)} WHERE s.id = ?`).get(id);
  if (row === undefined) return undefined;
  const sum = hermes.db.prepare<[string], RawSum>(`SELECT ${sums} FROM messages WHERE session_id = ?`).get(id);
  return toRow(id, row, sum === undefined ? NO_MESSAGES : toSum(sum));
}

/**
 * What the messages of each session add up to, in one pass over the table in the order in which it lies on the disk. Sizes come
 * from the heads of the records: long texts themselves are not read. Summed here, because SQL would carry the texts along.
 */
export async function readMessageSums(hermes: HermesDatabase, signal?: AbortSignal): Promise<Map<string, MessageSum>> {
  const sums = new Map<string, Writable<MessageSum>>();
  const next = hermes.db.prepare<[number], number>('SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT 1').pluck();
  const page = hermes.db
    .prepare<[number, number], [session: unknown, id: number, at: unknown, sizeBytes: number]>(
      `SELECT session_id, id, timestamp, ${byteSum(hermes, 'messages', '')}
       FROM messages NOT INDEXED WHERE id >= ? AND id < ?`,
    )
    .raw();
  for (let from = next.get(Number.MIN_SAFE_INTEGER); from !== undefined; from = next.get(from + IDS_A_PAGE - 1)) {
    signal?.throwIfAborted();
    for (const [session, id, at, sizeBytes] of page.all(from, from + IDS_A_PAGE)) {
      const key = String(session);
      const sum = sums.get(key) ?? { ...NO_MESSAGES };
      sum.count += 1;
      sum.lastId = id;
      sum.lastAt = Math.max(sum.lastAt, instant(at) ?? 0);
      sum.sizeBytes += sizeBytes;
      if (sum.count === 1) sums.set(key, sum);
    }
    await setImmediate();
  }
  return sums;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const SESSIONS_A_PAGE = 500;
const IDS_A_PAGE = 2000;

interface RawSum {
  readonly count: number;
  readonly last_id: number | null;
  readonly last_at: unknown;
  readonly bytes: number | null;
}

type RawRow = { readonly [K in (typeof COLUMNS)[number]]: unknown } & {
  readonly place: number;
  readonly bytes: number | null;
  readonly parent_end_reason: unknown;
  readonly parent_ended_at: unknown;
};

const COLUMNS = [
  'id',
  'source',
  'parent_session_id',
  'started_at',
  'ended_at',
  'end_reason',
  'last_activity_at',
  'title',
  'model',
  'model_config',
  'cwd',
  'pinned',
  'archived',
  'handoff_state',
] as const;

function selectSessions(hermes: HermesDatabase): string {
  const known = hermes.tables.get('sessions');
  const columns = COLUMNS.map((name) => (known?.has(name) ? `s.${name}` : `NULL AS ${name}`));
  return `SELECT s.rowid AS place, ${columns.join(', ')}, ${byteSum(hermes, 'sessions', 's.')} AS bytes,
    p.end_reason AS parent_end_reason, p.ended_at AS parent_ended_at
    FROM sessions AS s LEFT JOIN sessions AS p ON p.id = s.parent_session_id`;
}

/** Bytes, not characters: `length` stops at the zero with which structured content begins. */
export function byteSum({ tables }: HermesDatabase, table: string, prefix: string): string {
  const stored = [...(tables.get(table) ?? [])].filter(([, type]) => /^(TEXT|BLOB|)$/i.test(type));
  const sizes = stored.map(([name]) => `ifnull(octet_length(${prefix}"${name.replaceAll('"', '""')}"), 0)`);
  return sizes.length === 0 ? '0' : sizes.join(' + ');
}

function toSum(row: RawSum): MessageSum {
  const lastAt = instant(row.last_at) ?? 0;
  return { count: row.count, lastId: row.last_id ?? 0, lastAt, sizeBytes: row.bytes ?? 0 };
}

function toRow(id: string, row: RawRow, messages: MessageSum): HermesRow {
  const startedAt = instant(row.started_at);
  const endedAt = instant(row.ended_at);
  const lastActivityAt = instant(row.last_activity_at);
  const sweptAt = SWEPT.has(row.end_reason) ? (endedAt ?? 0) : 0;
  const lastActiveAt = Math.max(lastActivityAt ?? 0, messages.lastAt, sweptAt) || (startedAt ?? 0);
  const modelConfig = text(row.model_config);
  const markers = row.model_config === null || modelConfig !== undefined ? readMarkers(modelConfig) : undefined;
  const wrong =
    startedAt === undefined ||
    typeof row.source !== 'string' ||
    (endedAt === undefined && row.ended_at !== null) ||
    (lastActivityAt === undefined && row.last_activity_at !== null) ||
    markers === undefined;
  return {
    id,
    source: text(row.source) ?? 'unknown',
    startedAt: startedAt ?? 0,
    lastActiveAt,
    ...optional('endedAt', endedAt),
    ...optional('endReason', text(row.end_reason)),
    ...optional('title', text(row.title)),
    ...optional('model', text(row.model)),
    ...optional('workdir', text(row.cwd)),
    ...optional('parentId', text(row.parent_session_id)),
    parent: {
      ...optional('endReason', text(row.parent_end_reason)),
      ...optional('endedAt', instant(row.parent_ended_at)),
    },
    ...optional('markers', markers),
    pinned: row.pinned !== null && row.pinned !== 0,
    archived: row.archived !== null && row.archived !== 0,
    handedOff: row.handoff_state === 'pending' || row.handoff_state === 'running',
    messages,
    sizeBytes: (row.bytes ?? 0) + messages.sizeBytes,
    unreadable: wrong,
  };
}

/** Ends that Hermes wrote long after the fact, for rows left open by a crash: they age from then on. */
export const SWEPT: ReadonlySet<unknown> = new Set(['startup_orphan_reap', 'ws_orphan_reap', 'orphaned_compression']);

function instant(seconds: unknown): EpochMs | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.floor(seconds * 1000) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]: V });
}
