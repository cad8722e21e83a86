import BetterSqlite3, { type Database } from 'better-sqlite3';

/** `legacy` is schema 25 with the older search index, as homes have it until someone runs Hermes' storage optimisation. */
export type HermesSchema = 25 | 30 | 'legacy';
export type HermesJournal = 'wal' | 'delete';

/** Creates a Hermes database from the description of its format. The caller closes it. */
export function createHermesDatabase(path: string, schema: HermesSchema, journal: HermesJournal): Database {
  const db = new BetterSqlite3(path);
  db.pragma(`journal_mode = ${journal}`);
  db.pragma('foreign_keys = ON');
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -262144');
  db.exec(tables(schema === 30));
  db.exec(schema === 'legacy' ? legacyIndex() : schema === 30 ? index30() + display30() : index25());
  db.prepare('INSERT INTO schema_version VALUES (?)').run(schema === 30 ? 30 : 25);
  const storage = { 25: '1', 30: '3', legacy: undefined }[schema];
  if (storage !== undefined) db.prepare('INSERT INTO state_meta VALUES (?, ?)').run('fts_storage_version', storage);
  return db;
}

function tables(is30: boolean): string {
  const text = (names: string) => names.split(' ').map((name) => `${name} TEXT`);
  const counts = (names: string) => names.split(' ').map((name) => `${name} INTEGER NOT NULL DEFAULT 0`);
  const reals = (names: string) => names.split(' ').map((name) => `${name} REAL`);
  const sessions = [
    'id TEXT PRIMARY KEY',
    'source TEXT NOT NULL',
    ...text('user_id session_key chat_id chat_type thread_id display_name origin_json model model_config'),
    ...text('system_prompt end_reason cwd git_branch git_repo_root billing_provider billing_base_url billing_mode'),
    ...text('cost_status cost_source pricing_version title title_source last_activity_description profile_name'),
    ...text('last_activity_provenance handoff_state handoff_platform handoff_error compression_failure_error'),
    'system_prompt_hash TEXT REFERENCES system_prompts (hash)',
    'parent_session_id TEXT REFERENCES sessions (id)',
    'started_at REAL NOT NULL',
    ...reals('ended_at last_activity_at last_read_at estimated_cost_usd actual_cost_usd'),
    ...reals('compression_failure_cooldown_until'),
    ...counts('expiry_finalized message_count tool_call_count api_call_count input_tokens output_tokens'),
    ...counts('cache_read_tokens cache_write_tokens reasoning_tokens compression_fallback_streak'),
    ...counts('compression_ineffective_count rewind_count archived pinned'),
    ...(is30 ? text('created_source transport_profile tool_names') : []),
    ...(is30 ? counts('git_metadata_generation compression_overload_streak hidden') : []),
    ...(is30 ? reals('compression_recovery_deadline') : []),
  ];
  const messages = [
    'id INTEGER PRIMARY KEY AUTOINCREMENT',
    'session_id TEXT NOT NULL REFERENCES sessions (id)',
    'role TEXT NOT NULL',
    'timestamp REAL NOT NULL',
    ...text('content tool_call_id tool_calls tool_name effect_disposition finish_reason reasoning reasoning_content'),
    ...text('reasoning_details codex_reasoning_items codex_message_items platform_message_id api_content display_kind'),
    ...text('display_metadata'),
    'token_count INTEGER',
    'observed INTEGER DEFAULT 0',
    'active INTEGER NOT NULL DEFAULT 1',
    'compacted INTEGER NOT NULL DEFAULT 0',
    ...(is30 ? [...counts('_compressed_summary'), 'display_identity BLOB', 'display_order INTEGER'] : []),
  ];
  return `
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);
CREATE TABLE sessions (${sessions.join(', ')});
CREATE TABLE messages (${messages.join(', ')});
CREATE TABLE session_model_usage (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  model TEXT NOT NULL, ${['billing_provider', 'billing_base_url', 'billing_mode', 'task'].map((name) => `${name} TEXT NOT NULL DEFAULT ''`).join(', ')},
  ${counts('api_call_count input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens').join(', ')},
  estimated_cost_usd REAL NOT NULL DEFAULT 0, actual_cost_usd REAL NOT NULL DEFAULT 0,
  cost_status TEXT, cost_source TEXT, first_seen REAL, last_seen REAL,
  PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task));
CREATE TABLE gateway_routing (
  scope TEXT NOT NULL DEFAULT '', session_key TEXT NOT NULL, entry_json TEXT NOT NULL, updated_at REAL NOT NULL,
  PRIMARY KEY (scope, session_key));
CREATE TABLE compression_locks (
  session_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL);
CREATE TABLE async_delegations (
  delegation_id TEXT PRIMARY KEY, origin_session TEXT NOT NULL, origin_ui_session_id TEXT NOT NULL DEFAULT '',
  origin_session_id TEXT NOT NULL DEFAULT '', parent_session_id TEXT, state TEXT NOT NULL, dispatched_at REAL NOT NULL,
  completed_at REAL, updated_at REAL NOT NULL, event_json TEXT, result_json TEXT, task_json TEXT,
  delivery_state TEXT NOT NULL DEFAULT 'pending', delivery_attempts INTEGER NOT NULL DEFAULT 0, delivered_at REAL,
  owner_pid INTEGER, owner_started_at INTEGER, delivery_claim TEXT, delivery_claimed_at REAL);
CREATE TABLE telegram_dm_topic_bindings (
  chat_id TEXT NOT NULL, thread_id TEXT NOT NULL, session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  PRIMARY KEY (chat_id, thread_id));
${is30 ? TABLES_30 : ''}
CREATE INDEX idx_sessions_parent ON sessions (parent_session_id);
CREATE INDEX idx_sessions_started ON sessions (started_at DESC);
CREATE INDEX idx_messages_session ON messages (session_id, timestamp);
CREATE INDEX idx_messages_session_id ON messages (session_id, id);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions (title) WHERE title IS NOT NULL;`;
}

const TABLES_30 = `
CREATE TABLE gateway_heartbeats (
  backend_id TEXT PRIMARY KEY, pid INTEGER NOT NULL, started_at REAL NOT NULL, last_heartbeat REAL NOT NULL,
  profile TEXT NOT NULL DEFAULT '', host TEXT NOT NULL DEFAULT '');
CREATE TABLE session_turn_leases (
  conversation_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL);
CREATE TABLE gateway_hygiene_state (session_key TEXT PRIMARY KEY, state_json TEXT);
CREATE TABLE conversation_generations (
  source TEXT NOT NULL, session_key TEXT NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (source, session_key));`;

/** One column holding everything, over all rows, kept by plain triggers. */
function legacyIndex(): string {
  const all = `ifnull(new.content, '') || ' ' || ifnull(new.tool_name, '') || ' ' || ifnull(new.tool_calls, '')`;
  return ['messages_fts', 'messages_fts_trigram']
    .map((table) => {
      const add = `INSERT INTO ${table} (rowid, content) VALUES (new.id, ${all});`;
      const drop = `DELETE FROM ${table} WHERE rowid = old.id;`;
      return `
CREATE VIRTUAL TABLE ${table} USING fts5(content${table.endsWith('trigram') ? ", tokenize='trigram'" : ''});
CREATE TRIGGER ${table}_insert AFTER INSERT ON messages BEGIN ${add} END;
CREATE TRIGGER ${table}_delete AFTER DELETE ON messages BEGIN ${drop} END;
CREATE TRIGGER ${table}_update AFTER UPDATE OF content, tool_name, tool_calls ON messages BEGIN ${drop} ${add} END;`;
    })
    .join('\n');
}

function index25(): string {
  return `
CREATE VIEW messages_fts_trigram_src AS
  SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool';
${externalIndex({ table: 'messages_fts', source: 'messages', content: (row) => `${row}.content`, covers: () => '1' })}
${externalIndex({
  table: 'messages_fts_trigram',
  source: 'messages_fts_trigram_src',
  content: (row) => `${row}.content`,
  covers: (row) => `${row}.role <> 'tool'`,
})}`;
}

/** Long tool output is cut; the trigram index leaves out calls of tools, and scheduled and delegated sessions. */
function index30(): string {
  const cut = (row: string) =>
    `CASE WHEN ${row}.role = 'tool' THEN substr(${row}.content, 1, 8192) ELSE ${row}.content END`;
  const spoken = `source NOT IN ('cron', 'subagent') AND iif(json_valid(model_config), json_extract(model_config, '$._delegate_from'), NULL) IS NULL`;
  return `
CREATE VIEW messages_fts_src AS SELECT id, ${cut('messages')} AS content, tool_name, tool_calls FROM messages;
CREATE VIEW messages_fts_trigram_src AS
  SELECT id, role, content, tool_name FROM messages
  WHERE role <> 'tool' AND EXISTS (SELECT 1 FROM sessions WHERE sessions.id = messages.session_id AND ${spoken});
${externalIndex({ table: 'messages_fts', source: 'messages_fts_src', content: cut, covers: () => '1' })}
${externalIndex({
  table: 'messages_fts_trigram',
  source: 'messages_fts_trigram_src',
  others: ['tool_name'],
  content: (row) => `${row}.content`,
  covers: (row) =>
    `${row}.role <> 'tool' AND EXISTS (SELECT 1 FROM sessions WHERE sessions.id = ${row}.session_id AND ${spoken})`,
})}`;
}

/**
 * Compaction leaves copies of a message. They share an identity, and all that are visible are shown once, in the place of the
 * first. Triggers see to that whenever one comes, goes, is hidden or changes.
 */
function display30(): string {
  const visible = (row: string) => `(${row}.active = 1 OR ${row}.compacted = 1)`;
  const copies = (of: string, row = 'messages') =>
    `${row}.session_id = ${of}.session_id AND ${row}.display_identity = ${of}.display_identity AND ${visible(row)}`;
  const order = (value: string, where: string) => `UPDATE messages SET display_order = ${value} WHERE ${where};`;
  const others = (value: string) =>
    `(SELECT ${value} FROM messages AS c WHERE ${copies('new', 'c')} AND c.id <> new.id)`;
  const firstOf = (of: string) => `(SELECT min(c.id) FROM messages AS c WHERE ${copies(of, 'c')})`;
  const changed = ['role', 'content', 'timestamp', 'tool_call_id', 'tool_calls', 'tool_name', 'display_kind'];
  return `
CREATE INDEX idx_messages_display_identity ON messages (session_id, display_identity, display_order)
  WHERE display_identity IS NOT NULL AND (active = 1 OR compacted = 1);
CREATE TRIGGER messages_display_order_insert AFTER INSERT ON messages WHEN new.display_order IS NULL
BEGIN ${order(`ifnull(${others('min(c.display_order)')}, new.id)`, 'id = new.id')} END;
CREATE TRIGGER messages_display_visibility_update AFTER UPDATE OF active, compacted ON messages
WHEN ${visible('new')} <> ${visible('old')}
BEGIN
  ${order(`min(new.id, ifnull(${others('min(c.display_order)')}, new.id))`, `${visible('new')} AND (id = new.id OR ${copies('new')})`)}
  ${order(firstOf('old'), `${copies('old')} AND NOT ${visible('new')}`)}
END;
CREATE TRIGGER messages_display_identity_update AFTER UPDATE OF ${changed.join(', ')} ON messages
WHEN ${changed.map((name) => `new.${name} IS NOT old.${name}`).join(' OR ')}
BEGIN
  UPDATE messages SET display_identity = NULL, display_order = NULL WHERE id = new.id OR (${copies('old')});
END;
CREATE TRIGGER messages_display_identity_delete AFTER DELETE ON messages WHEN ${visible('old')}
BEGIN ${order(firstOf('old'), copies('old'))} END;`;
}

interface ExternalIndex {
  readonly table: string;
  readonly source: string;
  /** Its columns beside `content`. */
  readonly others?: readonly string[];
  readonly content: (row: string) => string;
  readonly covers: (row: string) => string;
}

/** An index without content of its own: what its triggers take out must be exactly what they put in. */
function externalIndex(index: ExternalIndex): string {
  const { table, source, others = ['tool_name', 'tool_calls'], content, covers } = index;
  const mark = (key: string) => `ifnull((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '${key}'), -1)`;
  const gate = (row: string) =>
    `(${row}.id > ${mark('fts_rebuild_high_water')} OR ${row}.id <= ${mark('fts_rebuild_progress')})`;
  const values = (row: string) => [`${row}.id`, content(row), ...others.map((name) => `${row}.${name}`)].join(', ');
  const names = ['content', ...others].join(', ');
  const columns = `rowid, ${names}`;
  const add = `INSERT INTO ${table} (${columns}) SELECT ${values('new')} WHERE ${covers('new')};`;
  const drop = `INSERT INTO ${table} (${table}, ${columns}) SELECT 'delete', ${values('old')} WHERE ${covers('old')};`;
  const tokenize = table.endsWith('trigram') ? ", tokenize='trigram'" : '';
  return `
CREATE VIRTUAL TABLE ${table} USING fts5(${names}, content='${source}', content_rowid='id'${tokenize});
CREATE TRIGGER ${table}_insert AFTER INSERT ON messages WHEN ${gate('new')} BEGIN ${add} END;
CREATE TRIGGER ${table}_delete AFTER DELETE ON messages WHEN ${gate('old')} BEGIN ${drop} END;
CREATE TRIGGER ${table}_update AFTER UPDATE OF content, tool_name, tool_calls, role ON messages WHEN ${gate('old')}
BEGIN ${drop} ${add} END;`;
}
