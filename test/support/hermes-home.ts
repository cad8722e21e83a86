import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { addV1Checkpoints, addV2Checkpoints, type CheckpointProject } from './hermes-checkpoints.ts';
import { createHermesDatabase, type HermesJournal, type HermesSchema } from './hermes-schema.ts';

/** The instant at which built homes are looked at. */
export const HERMES_NOW = Date.UTC(2026, 10, 15, 12);
export const HERMES_DAY = 86_400_000;

export interface HermesSessionSpec {
  readonly id: string;
  readonly source?: string;
  /** Defaults to 100 days before `HERMES_NOW`; the messages follow at one a minute. */
  readonly startedAt?: number;
  /** Ended an hour after its start unless this says otherwise; `open` means that it never was. */
  readonly end?: string;
  readonly parent?: string;
  /** What Hermes writes into `model_config`; text is stored as it is. */
  readonly modelConfig?: Readonly<Record<string, unknown>> | string;
  /** What was said in turn by a person and the agent; others say who they are. */
  readonly messages?: readonly (string | { readonly role: string; readonly content: string })[];
  readonly title?: string;
  readonly cwd?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly handoff?: string;
  readonly sessionKey?: string;
  readonly files?: readonly ('snapshot' | 'transcript' | 'dump')[];
}

export interface HermesHomeSpec {
  readonly schema?: HermesSchema;
  readonly journal?: HermesJournal;
  readonly sessions?: readonly HermesSessionSpec[];
  /** Route key → session id, in the scope of this home or of the one named. */
  readonly routes?: readonly { readonly key: string; readonly sessionId: string; readonly scope?: string }[];
  readonly compressionLocks?: readonly Lease[];
  readonly turnLeases?: readonly Lease[];
  readonly heartbeats?: readonly { readonly pid: number; readonly lastAt: number; readonly host?: string }[];
  readonly delegations?: readonly { readonly sessionId: string; readonly state: string }[];
  readonly topicBindings?: readonly string[];
  readonly meta?: Readonly<Record<string, string>>;
  /** Any further files, by their path in the home. */
  readonly files?: Readonly<Record<string, string>>;
  readonly checkpoints?: { readonly v1?: readonly CheckpointProject[]; readonly v2?: readonly CheckpointProject[] };
}

export interface Lease {
  readonly id: string;
  readonly expiresAt: number;
}

/** Builds a Hermes home in an empty directory, from the description of the format, and returns its path. */
export function buildHermesHome(dir: string, spec: HermesHomeSpec = {}): string {
  mkdirSync(join(dir, 'sessions'), { recursive: true });
  const db = createHermesDatabase(join(dir, 'state.db'), spec.schema ?? 25, spec.journal ?? 'wal');
  db.transaction(() => fillDatabase(db, dir, spec))();
  db.close();
  for (const session of spec.sessions ?? []) writeSessionFiles(dir, session);
  for (const [path, content] of Object.entries(spec.files ?? {})) writeOld(join(dir, path), content, HERMES_NOW);
  const checkpoints = join(dir, 'checkpoints');
  for (const project of spec.checkpoints?.v1 ?? []) addV1Checkpoints(checkpoints, project);
  for (const project of spec.checkpoints?.v2 ?? []) addV2Checkpoints(checkpoints, project);
  return dir;
}

/** Gives sessions their system prompts, each text stored once under its hash. */
export function addPrompts(dir: string, prompts: Readonly<Record<string, readonly string[]>>): void {
  const db = new BetterSqlite3(join(dir, 'state.db'));
  for (const [prompt, ids] of Object.entries(prompts)) {
    const hash = createHash('sha256').update(prompt).digest('hex');
    insertAll(db, 'system_prompts', [[hash, prompt]]);
    for (const id of ids) db.prepare('UPDATE sessions SET system_prompt_hash = ? WHERE id = ?').run(hash, id);
  }
  db.close();
}

/** The name of a session in its files, as Hermes makes it: letters, digits, `_` and `-`, a hash where that changed it. */
export function hermesSafeName(id: string): string {
  let safe = '';
  for (const character of id) safe += /^[\p{L}\p{N}_-]$/u.test(character) ? character : '_';
  const cut = [...safe].slice(0, 96).join('');
  return cut === id ? id : `${cut}_${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

/** Structured content as it is stored: SQL's `length` sees nothing of it. */
export function structured(value: unknown): string {
  return `\0json:${JSON.stringify(value)}`;
}

function fillDatabase(db: Database, dir: string, spec: HermesHomeSpec): void {
  const sessions = spec.sessions ?? [];
  insertAll(db, `sessions (${SESSION_COLUMNS.join(', ')})`, sessions.map(sessionRow));
  const messages = sessions.flatMap(messageRows);
  if (spec.schema !== 30) insertAll(db, 'messages (session_id, role, content, timestamp)', messages);
  else insertAll(db, 'messages (session_id, role, content, timestamp, display_identity)', messages.map(identified));
  insertAll(
    db,
    'gateway_routing (scope, session_key, entry_json, updated_at)',
    (spec.routes ?? []).map(({ key, sessionId, scope }) => [
      scope ?? join(dir, 'sessions'),
      key,
      JSON.stringify({ session_key: key, session_id: sessionId }),
      HERMES_NOW / 1000,
    ]),
  );
  const lease = ({ id, expiresAt }: Lease) => [id, 'pid=1:test', expiresAt / 1000 - 300, expiresAt / 1000];
  const locks = (spec.compressionLocks ?? []).map(lease);
  insertAll(db, 'compression_locks (session_id, holder, acquired_at, expires_at)', locks);
  const leases = (spec.turnLeases ?? []).map(lease);
  insertAll(db, 'session_turn_leases (conversation_id, holder, acquired_at, expires_at)', leases);
  insertAll(
    db,
    'gateway_heartbeats (backend_id, pid, started_at, last_heartbeat, host)',
    (spec.heartbeats ?? []).map(({ pid, lastAt, host }, index) => [
      `backend-${index}`,
      pid,
      lastAt / 1000 - 60,
      lastAt / 1000,
      host ?? '',
    ]),
  );
  insertAll(
    db,
    'async_delegations (delegation_id, origin_session, parent_session_id, state, dispatched_at, updated_at, completed_at, delivery_state)',
    (spec.delegations ?? []).map(({ sessionId, state }, index) => {
      const at = HERMES_NOW / 1000 - 60;
      const done = state !== 'running';
      return [`d${index}`, 'agent:main', sessionId, state, at, at, done ? at : null, done ? 'delivered' : 'pending'];
    }),
  );
  const bindings = (spec.topicBindings ?? []).map((id, index) => ['1', String(index), id]);
  insertAll(db, 'telegram_dm_topic_bindings (chat_id, thread_id, session_id)', bindings);
  insertAll(db, 'state_meta (key, value)', Object.entries(spec.meta ?? {}));
}

const SESSION_COLUMNS =
  `id source parent_session_id started_at ended_at end_reason model model_config title cwd pinned archived
  handoff_state session_key message_count`.split(/\s+/);

function sessionRow(session: HermesSessionSpec): unknown[] {
  const startedAt = startOf(session);
  const end = session.end ?? 'cli_close';
  const { modelConfig = null, messages = [] } = session;
  return [
    session.id,
    session.source ?? 'cli',
    session.parent ?? null,
    startedAt / 1000,
    end === 'open' ? null : startedAt / 1000 + 3600,
    end === 'open' ? null : end,
    'test/model',
    typeof modelConfig === 'string' || modelConfig === null ? modelConfig : JSON.stringify(modelConfig),
    session.title ?? null,
    session.cwd ?? null,
    session.pinned === true ? 1 : 0,
    session.archived === true ? 1 : 0,
    session.handoff ?? null,
    session.sessionKey ?? null,
    messages.length,
  ];
}

function messageRows(session: HermesSessionSpec): unknown[][] {
  return (session.messages ?? []).map((message, index) => {
    const spoken = { role: index % 2 === 0 ? 'user' : 'assistant', content: message };
    const { role, content } = typeof message === 'string' ? spoken : message;
    return [session.id, role, content, startOf(session) / 1000 + index * 60];
  });
}

/** What tells copies of a message apart from others. */
function identified(row: unknown[]): unknown[] {
  const [, role, content] = row;
  return [
    ...row,
    createHash('sha256')
      .update(`${String(role)}\n${String(content)}`)
      .digest(),
  ];
}

function insertAll(db: Database, target: string, rows: readonly (readonly unknown[])[]): void {
  const [first] = rows;
  if (first === undefined) return;
  const insert = db.prepare(`INSERT INTO ${target} VALUES (${first.map(() => '?').join(', ')})`);
  for (const row of rows) insert.run(...row);
}

function writeSessionFiles(dir: string, session: HermesSessionSpec): void {
  const safe = hermesSafeName(session.id);
  const names = {
    snapshot: `session_${safe}.json`,
    transcript: `${session.id}.jsonl`,
    dump: `request_dump_${safe}_20260101_000000_000000.json`,
  };
  for (const kind of session.files ?? []) {
    const content = JSON.stringify({ session_id: session.id, kind });
    writeOld(join(dir, 'sessions', names[kind]), content, startOf(session) + 3_600_000);
  }
}

function startOf({ startedAt }: HermesSessionSpec): number {
  return startedAt ?? HERMES_NOW - 100 * HERMES_DAY;
}

function writeOld(path: string, content: string, at: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, at / 1000, at / 1000);
}

/** Changes the database of a home as a program of its own would. */
export function hermesSql(home: string, text: string): void {
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.exec(text);
  db.close();
}
