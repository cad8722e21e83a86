import type { Database } from 'better-sqlite3';

/** A table in which sessions have rows. */
export interface RowTable {
  readonly name: string;
  /** The number by which a row is known, under the name of its column where it has one. */
  readonly key: string;
  /** The column that names the session. */
  readonly owner: string;
  /** All others than the key. */
  readonly columns: readonly string[];
}

/** The only version of the database that is known. It was written by Copilot CLI 1.0.102. */
const KNOWN_VERSION = 8;

/** What SQLite calls it where the table has no column for it. */
const ROW = 'rowid';

export const SESSIONS: RowTable = {
  name: 'sessions',
  key: ROW,
  owner: 'id',
  columns: ['id', 'cwd', 'repository', 'host_type', 'branch', 'summary', 'created_at', 'updated_at'],
};

/** The words of all sessions, for searching. */
export const SEARCH: RowTable = {
  name: 'search_index',
  key: ROW,
  owner: 'session_id',
  columns: ['content', 'session_id', 'source_type', 'source_id'],
};

const COLUMNS: Readonly<Record<string, string>> = {
  turns: 'turn_index user_message assistant_response timestamp',
  checkpoints:
    'checkpoint_number title overview history work_done technical_details important_files next_steps created_at',
  session_files: 'file_path tool_name turn_index first_seen_at',
  session_refs: 'ref_type ref_value turn_index created_at',
  forge_trajectory_events:
    'tool_call_id turn_index event_type command output exit_code event_key event_value created_at',
  assistant_usage_events:
    'turn_index agent_id parent_tool_call_id model copilot_usage_model input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens total_nano_aiu request_multiplier duration_ms time_to_first_token_ms output_ttft_ms inter_token_latency_ms initiator api_endpoint reasoning_effort finish_reason content_filter_triggered token_details_json created_at',
};

/** Tables whose rows are of a session, which has to be there for as long as they are. */
export const CHILDREN: readonly RowTable[] = Object.entries(COLUMNS).map(([name, columns]) => ({
  name,
  key: 'id',
  owner: 'session_id',
  columns: ['session_id', ...columns.split(' ')],
}));

/**
 * Whether everything that a session has in a database is known: its version, each of these tables with exactly these columns, no other
 * one that names sessions, and nothing that acts by itself when rows change.
 */
export function isKnownStore(db: Database, tables: ReadonlyMap<string, ReadonlyMap<string, string>>): boolean {
  if (!tables.has('schema_version')) return false;
  const versions = db.prepare('SELECT version FROM schema_version').pluck().all();
  if (versions.length !== 1 || versions[0] !== KNOWN_VERSION) return false;
  const isWhole = ({ name, key, columns }: RowTable) =>
    [...(tables.get(name)?.keys() ?? [])].toSorted().join() ===
    [...(key === ROW ? [] : [key]), ...columns].toSorted().join();
  const known = new Set(CHILDREN.map(({ name }) => name));
  const naming = [...tables].filter(([, columns]) => columns.has(SEARCH.owner)).map(([name]) => name);
  return (
    [SESSIONS, ...CHILDREN].every(isWhole) &&
    naming.every((name) => known.has(name)) &&
    hasSearch(db) &&
    !hasTriggers(db)
  );
}

function hasSearch(db: Database): boolean {
  const sql = db.prepare(`SELECT sql FROM sqlite_master WHERE name = ?`).pluck().get(SEARCH.name);
  if (typeof sql !== 'string' || !sql.startsWith('CREATE VIRTUAL TABLE search_index USING fts5(')) return false;
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(SEARCH.name) as string[];
  return columns.join() === SEARCH.columns.join();
}

function hasTriggers(db: Database): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'trigger' LIMIT 1`).get() !== undefined;
}
