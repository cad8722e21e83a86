import { join } from 'node:path';
import { errorText } from '../../../core/error-text.ts';
import { isJsonObject } from '../../../core/json.ts';
import type { Problem } from '../../../core/problem.ts';
import type { Use } from '../../../core/sessions/in-use.ts';
import type { EpochMs } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { listNames } from '../../../platform/files/list-names.ts';
import { readRegular } from '../../../platform/files/open-regular.ts';
import { findProcess } from '../../../platform/machine/find-process.ts';
import { hasColumns } from '../../../platform/sqlite/guest-database.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';

/**
 * Why a session is taken to be in use, by Hermes' own evidence, and which use that is. A chat leads to its session for as long as
 * Hermes goes on in it there, so every such route counts, whatever the session's end.
 */
export const USE_OF = {
  'compression-lock': 'active',
  'turn-lease': 'active',
  'active-lease': 'active',
  delegation: 'active',
  pending: 'active',
  handoff: 'active',
  route: 'routed',
  topic: 'routed',
  open: 'open',
} as const satisfies Record<string, Use>;
export type HermesEvidence = keyof typeof USE_OF;

export interface HermesLiveness {
  /** What the evidence names: ids of sessions, with the first evidence found. They need not exist. */
  readonly inUse: ReadonlyMap<string, HermesEvidence>;
  /** A gateway runs, so that sessions may begin or go on at any moment. */
  readonly gatewayAlive: boolean;
  /** Evidence that could not be read. Then nothing is certain about any session. */
  readonly problems: readonly Problem[];
}

/**
 * All evidence that sessions are in use, apart from their own rows. Reads what is there now, so it can be asked again under the
 * write lock. What cannot be read is a problem, never an absence.
 */
export function readLiveness(home: string, hermes: HermesDatabase, now: EpochMs): HermesLiveness {
  const inUse = new Map<string, HermesEvidence>();
  const problems: Problem[] = [];
  const hold = (id: unknown, evidence: HermesEvidence) => {
    if (typeof id === 'string' && id !== '' && !inUse.has(id)) inUse.set(id, evidence);
  };
  const look = (subject: string, read: () => void) => {
    try {
      read();
    } catch (error) {
      problems.push(unreadable(subject, error));
    }
  };
  const nowSeconds = now / 1000;
  const leasedSince = nowSeconds - LEASE_MARGIN_SECONDS;
  // The strongest evidence first: it is the one that is told.
  look('compression_locks', () => {
    const live = 'SELECT session_id FROM compression_locks WHERE NOT expires_at <= ?';
    column(hermes, live, [leasedSince]).forEach((id) => hold(id, 'compression-lock'));
  });
  look('session_turn_leases', () => leasedIds(hermes, leasedSince).forEach((id) => hold(id, 'turn-lease')));
  look('runtime/active_sessions.json', () => registeredIds(home).forEach((id) => hold(id, 'active-lease')));
  look('async_delegations', () => delegatingIds(hermes).forEach((id) => hold(id, 'delegation')));
  look('pending_messages', () => pendingIds(home, hermes).forEach((id) => hold(id, 'pending')));
  look('gateway_routing', () => routedIds(hermes).forEach((id) => hold(id, 'route')));
  look('sessions/sessions.json', () => mirroredIds(home).forEach((id) => hold(id, 'route')));
  look('telegram_dm_topic_bindings', () => {
    column(hermes, 'SELECT session_id FROM telegram_dm_topic_bindings').forEach((id) => hold(id, 'topic'));
  });
  let gatewayAlive = false;
  look('gateway_heartbeats', () => {
    gatewayAlive = heartbeatAlive(hermes, nowSeconds);
  });
  return { inUse, gatewayAlive, problems };
}

/** A clock that was set forward makes a lease look older than it is. Hermes renews its leases within this time. */
const LEASE_MARGIN_SECONDS = 600;

/** The evidence about one session: what the outside says, then its own row. */
export function evidenceOf(
  { inUse }: HermesLiveness,
  row: { readonly id: string; readonly endedAt?: EpochMs; readonly handedOff: boolean },
): HermesEvidence | undefined {
  // Many rows stay open after a crash. Nothing tells those from a conversation that waits in a terminal, so all are in use.
  const outside = inUse.get(row.id);
  if (row.handedOff && (outside === undefined || USE_OF[outside] !== 'active')) return 'handoff';
  return outside ?? (row.endedAt === undefined ? 'open' : undefined);
}

/** The first column of a query whose table may not exist in this home. */
function column(hermes: HermesDatabase, sql: string, values: readonly unknown[] = []): unknown[] {
  const table = /FROM (\w+)/.exec(sql)?.[1] ?? '';
  if (!hermes.tables.has(table)) return [];
  return hermes.db
    .prepare(sql)
    .pluck()
    .all(...values);
}

/** Routes of every scope: a scope is the path of a sessions directory, which may have been another one when it was written. */
function routedIds(hermes: HermesDatabase): string[] {
  return column(hermes, 'SELECT entry_json FROM gateway_routing').map((entry) => sessionOf(JSON.parse(String(entry))));
}

function mirroredIds(home: string): string[] {
  const mirror = readJson(join(home, 'sessions', 'sessions.json'));
  if (mirror === undefined) return [];
  if (!isJsonObject(mirror)) throw new Error('it is not a map of routes');
  return Object.entries(mirror)
    .filter(([key]) => !key.startsWith('_'))
    .map(([, entry]) => sessionOf(entry));
}

function sessionOf(entry: unknown): string {
  const id = isJsonObject(entry) ? entry['session_id'] : undefined;
  if (typeof id !== 'string') throw new Error('an entry names no session');
  return id;
}

/** A lease names the first session of a conversation, or its route; one that names nothing known may be about any session. */
function leasedIds(hermes: HermesDatabase, since: number): unknown[] {
  const leases = column(hermes, 'SELECT conversation_id FROM session_turn_leases WHERE NOT expires_at <= ?', [since]);
  return leases.flatMap((lease) => {
    const ids = knownBy(hermes, lease);
    if (ids.length === 0) throw new Error(`a turn is running in ${String(lease)}, which no session is known by`);
    return ids;
  });
}

/** The sessions that an id or a route stands for. */
function knownBy(hermes: HermesDatabase, name: unknown): unknown[] {
  const names = ['id', 'session_key'].filter((each) => hasColumns(hermes, 'sessions', [each]));
  return names.flatMap((each) => column(hermes, `SELECT id FROM sessions WHERE ${each} = ?`, [name]));
}

function registeredIds(home: string): unknown[] {
  const registry = readJson(join(home, 'runtime', 'active_sessions.json'));
  if (registry === undefined) return [];
  const entries = isJsonObject(registry) ? registry['entries'] : registry;
  if (!Array.isArray(entries)) throw new Error('it is not a list of leases');
  return entries.flatMap((entry: unknown) => {
    const id = sessionOf(entry);
    const pid = isJsonObject(entry) ? Number(entry['pid']) : Number.NaN;
    // A number that another process has taken over only keeps more.
    const gone = Number.isInteger(pid) && pid > 0 && findProcess(pid) === undefined;
    return gone ? [] : [id];
  });
}

/** Every session that a delegation names, while it runs or its result is still to be delivered. */
function delegatingIds(hermes: HermesDatabase): unknown[] {
  const known = hermes.tables.get('async_delegations');
  const has = (name: string) => known?.has(name) === true;
  const unfinished = [
    has('completed_at') && 'completed_at IS NULL',
    has('delivery_state') && `delivery_state = 'pending'`,
    `state IN ('running', 'pending')`,
  ].filter((part) => part !== false);
  const names = ['parent_session_id', 'origin_session', 'origin_session_id', 'origin_ui_session_id'].filter(has);
  return names.flatMap((name) =>
    column(hermes, `SELECT ${name} FROM async_delegations WHERE ${unfinished.join(' OR ')}`),
  );
}

/**
 * Messages that its database refused wait in files until Hermes stores them, at its next start. Without its session such a message
 * cannot be stored, and nothing of those behind it either.
 */
function pendingIds(home: string, hermes: HermesDatabase): unknown[] {
  const directory = join(home, 'pending_messages');
  const files = listNames(directory).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => sessionsNamedIn(readJson(join(directory, name)))).flatMap((id) => knownBy(hermes, id));
}

/** Wherever it stands: each reason for which Hermes writes such a file has a shape of its own. */
function sessionsNamedIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(sessionsNamedIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'session_id' || key === 'session_key' ? [inner] : sessionsNamedIn(inner),
  );
}

/** A backend that was heard of within this time runs; its process may be one of another machine. */
const HEARTBEAT_SECONDS = 600;

function heartbeatAlive(hermes: HermesDatabase, nowSeconds: number): boolean {
  const fresh = 'SELECT pid FROM gateway_heartbeats WHERE NOT last_heartbeat <= ?';
  if (column(hermes, fresh, [nowSeconds - HEARTBEAT_SECONDS]).length > 0) return true;
  return column(hermes, 'SELECT pid FROM gateway_heartbeats').some((pid) => findProcess(Number(pid)) !== undefined);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readRegular(path).toString());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function unreadable(subject: string, error: unknown): Problem {
  const why = errorText(error);
  return {
    kind: 'activity-unknown',
    subject,
    message: `${subject} cannot be understood, so which sessions are in use is not known: ${why}.`,
    hint: 'Nothing is removed until this can be read. Start Hermes once, then look again.',
  };
}
