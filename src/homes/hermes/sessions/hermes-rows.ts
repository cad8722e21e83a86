import { setImmediate } from 'node:timers/promises';
import { oncePer } from '../../../core/once-per.ts';
import type { SessionFact, SessionItem } from '../../../core/retention/inventory.ts';
import { type SessionFacts, totalTokens } from '../../../core/sessions/session.ts';
import type { EpochMs } from '../../../core/time.ts';
import { quoted } from '../../../platform/sqlite/row-lines.ts';
import { instant, optional, text } from '../database/cell-values.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { type ChildFacts, type Markers, readMarkers } from './hermes-lineage.ts';
import { COUNT_COLUMNS, type RawCounts, toUsage } from './hermes-usage.ts';

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
  readonly routeKey?: string;
  /** As they were read. `countsOf` finds in them what only whoever shows a session needs. */
  readonly values: RawRow;
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
  const page = hermes.db
    .prepare<[number], RawRow>(`${selectSessions(hermes)} WHERE s.rowid > ? ORDER BY s.rowid LIMIT ${SESSIONS_A_PAGE}`)
    .raw();
  const known = new Map<string, string>();
  for (let place = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(place);
    for (const row of rows) {
      place = Number(row[AT.place]);
      const id = row[AT.id];
      if (typeof id !== 'string' || id.includes('\uFFFD')) yield { badId: place };
      else yield toRow(row, { id, messages: sums.get(id) ?? NO_MESSAGES, known });
      if (typeof id === 'string') sums.delete(id);
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
  const row = hermes.db
    .prepare<[string], RawRow>(`${selectSessions(hermes)} WHERE s.id = ?`)
    .raw()
    .get(id);
  if (row === undefined) return undefined;
  const sum = hermes.db.prepare<[string], RawSum>(`SELECT ${sums} FROM messages WHERE session_id = ?`).get(id);
  const messages = sum === undefined ? NO_MESSAGES : toSum(sum);
  return toRow(row, { id, messages, known: new Map() });
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

/** The values of one session in the order of `NAMES`. Names for each would take as long as reading them. */
type RawRow = readonly unknown[];

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
  'session_key',
  'billing_provider',
  'user_id',
  'chat_id',
  'git_branch',
  ...COUNT_COLUMNS,
] as const;

const NAMES = ['place', ...COLUMNS, 'bytes', 'parent_end_reason', 'parent_ended_at'] as const;

const AT = Object.fromEntries(NAMES.map((name, at) => [name, at])) as Readonly<Record<(typeof NAMES)[number], number>>;

/** What a session counts, as it stands in its row. */
export function countsOf({ values }: HermesRow): RawCounts {
  return Object.fromEntries(COUNT_COLUMNS.map((name) => [name, values[AT[name]]])) as RawCounts;
}

/** What else Hermes records about a session, by the names that filters have for it. */
export function filterFactsOf(row: HermesRow): Partial<SessionItem> {
  const usage = toUsage(countsOf(row));
  return {
    tokens: totalTokens(usage),
    costUsd: usage.costUsd,
    ...peopleOf(row),
  };
}

/** Who billed it, whose it was, and what it was about. */
export function peopleOf({ values }: HermesRow): Pick<SessionFacts, 'provider' | 'user' | 'chat' | 'branch'> {
  return {
    ...optional('provider', text(values[AT.billing_provider])),
    ...optional('user', text(values[AT.user_id])),
    ...optional('chat', text(values[AT.chat_id])),
    ...optional('branch', text(values[AT.git_branch])),
  };
}

/** Which of them this home has columns for. */
export function knownFacts(hermes: HermesDatabase): SessionFact[] {
  const known = hermes.tables.get('sessions');
  return FACT_COLUMNS.flatMap(([fact, column]) => (known?.has(column) ? [fact] : []));
}

const FACT_COLUMNS = [
  ['tokens', 'input_tokens'],
  ['cost', 'estimated_cost_usd'],
  ['provider', 'billing_provider'],
  ['user', 'user_id'],
  ['chat', 'chat_id'],
  ['branch', 'git_branch'],
] as const satisfies readonly (readonly [SessionFact, (typeof COLUMNS)[number]])[];

const selectSessions = oncePer((hermes: HermesDatabase): string => {
  const known = hermes.tables.get('sessions');
  const columns = COLUMNS.map((name) => (known?.has(name) ? `s.${name}` : `NULL AS ${name}`));
  return `SELECT s.rowid AS place, ${columns.join(', ')}, ${byteSum(hermes, 'sessions', 's.')} AS bytes,
    p.end_reason AS parent_end_reason, p.ended_at AS parent_ended_at
    FROM sessions AS s LEFT JOIN sessions AS p ON p.id = s.parent_session_id`;
});

/** Bytes, not characters: `length` stops at the zero with which structured content begins. */
export const byteSum = oncePer(({ tables }: HermesDatabase, table: string, prefix: string): string => {
  const stored = [...(tables.get(table) ?? [])].filter(([, type]) => /^(TEXT|BLOB|)$/i.test(type));
  const sizes = stored.map(([name]) => `ifnull(octet_length(${prefix}${quoted(name)}), 0)`);
  return sizes.length === 0 ? '0' : sizes.join(' + ');
});

function toSum(row: RawSum): MessageSum {
  const lastAt = instant(row.last_at) ?? 0;
  return { count: row.count, lastId: row.last_id ?? 0, lastAt, sizeBytes: row.bytes ?? 0 };
}

interface RowParts {
  readonly id: string;
  readonly messages: MessageSum;
  /** Texts that many sessions share. Each comes anew with every row, and is kept once. */
  readonly known: Map<string, string>;
}

function toRow(row: RawRow, { id, messages, known }: RowParts): HermesRow {
  const startedAt = instant(row[AT.started_at]);
  const endedAt = instant(row[AT.ended_at]);
  const lastActivityAt = instant(row[AT.last_activity_at]);
  const sweptAt = SWEPT.has(row[AT.end_reason]) ? (endedAt ?? 0) : 0;
  const lastActiveAt = Math.max(lastActivityAt ?? 0, messages.lastAt, sweptAt) || (startedAt ?? 0);
  const modelConfig = text(row[AT.model_config]);
  const markers = row[AT.model_config] === null || modelConfig !== undefined ? readMarkers(modelConfig) : undefined;
  const wrong =
    startedAt === undefined ||
    typeof row[AT.source] !== 'string' ||
    (endedAt === undefined && row[AT.ended_at] !== null) ||
    (lastActivityAt === undefined && row[AT.last_activity_at] !== null) ||
    markers === undefined;
  return {
    id,
    source: once(known, text(row[AT.source])) ?? 'unknown',
    startedAt: startedAt ?? 0,
    lastActiveAt,
    ...optional('endedAt', endedAt),
    ...optional('endReason', once(known, text(row[AT.end_reason]))),
    ...optional('title', text(row[AT.title])),
    ...optional('model', once(known, text(row[AT.model]))),
    ...optional('workdir', once(known, text(row[AT.cwd]))),
    ...optional('routeKey', text(row[AT.session_key])),
    values: row,
    ...optional('parentId', text(row[AT.parent_session_id])),
    parent: {
      ...optional('endReason', text(row[AT.parent_end_reason])),
      ...optional('endedAt', instant(row[AT.parent_ended_at])),
    },
    ...optional('markers', markers),
    pinned: row[AT.pinned] !== null && row[AT.pinned] !== 0,
    archived: row[AT.archived] !== null && row[AT.archived] !== 0,
    handedOff: row[AT.handoff_state] === 'pending' || row[AT.handoff_state] === 'running',
    messages,
    sizeBytes: Number(row[AT.bytes] ?? 0) + messages.sizeBytes,
    unreadable: wrong,
  };
}

function once(known: Map<string, string>, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const same = known.get(value);
  if (same === undefined) known.set(value, value);
  return same ?? value;
}

/** Ends that Hermes wrote long after the fact, for rows left open by a crash: they age from then on. */
export const SWEPT: ReadonlySet<unknown> = new Set(['startup_orphan_reap', 'ws_orphan_reap', 'orphaned_compression']);
