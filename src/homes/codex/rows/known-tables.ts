/** A table with rows of single threads, in a database of Codex. */
export interface ThreadTable {
  readonly table: string;
  /** The column that names the thread. */
  readonly of: string;
  /** Rows stand under the ids of rollouts, of which a thread has several once it was taken back. */
  readonly byRollout?: true;
  /** Codex makes it anew from the rollouts, so that it may be left out where it is large. */
  readonly remade?: true;
}

export interface KnownDatabase {
  /** Its name without the number that Codex raises when it begins anew. */
  readonly name: string;
  readonly number: number;
  /** Rows go in the reverse order. */
  readonly tables: readonly ThreadTable[];
  /** Tables that hold nothing of single threads, or nothing that a thread is not whole without. */
  readonly others: readonly string[];
  /** What refers to something, as `table.column > table`. */
  readonly references: readonly string[];
  readonly triggers: readonly string[];
}

const OF_ALL = ['_sqlx_migrations', 'sqlite_sequence'];

/**
 * The databases of Codex 0.166 with everything that `codex delete` removes of a thread. A column, an index or a table that has nothing to
 * do with threads may be new.
 */
export const DATABASES: readonly KnownDatabase[] = [
  {
    name: 'state',
    number: 5,
    tables: [
      { table: 'threads', of: 'id' },
      { table: 'thread_dynamic_tools', of: 'thread_id' },
      { table: 'thread_attachments', of: 'thread_id' },
      { table: 'thread_read_receipts', of: 'thread_id' },
      { table: 'guardian_review_feedback', of: 'thread_id' },
      { table: 'thread_spawn_edges', of: 'child_thread_id' },
    ],
    others: [
      ...OF_ALL,
      'backfill_state',
      'external_agent_config_imports',
      'project_idempotency_keys',
      'project_roots',
      'projects',
      'remote_control_enrollments',
      'rollout_migration_skipped_rollouts',
      'rollout_migration_state',
      'thread_sections',
    ],
    references: [
      'guardian_review_feedback.thread_id > threads',
      'thread_attachments.thread_id > threads',
      'thread_dynamic_tools.thread_id > threads',
      'thread_read_receipts.thread_id > threads',
      'threads.project_id > projects',
      'threads.thread_section_id > thread_sections',
    ],
    triggers: [
      'threads_created_at_ms_after_insert',
      'threads_created_at_ms_after_update',
      'threads_recency_at_after_insert',
      'threads_updated_at_ms_after_insert',
      'threads_updated_at_ms_after_update',
    ],
  },
  {
    name: 'thread_history',
    number: 1,
    tables: [
      { table: 'thread_turns', of: 'thread_id', byRollout: true, remade: true },
      { table: 'thread_items', of: 'thread_id', byRollout: true, remade: true },
      { table: 'thread_realtime_items', of: 'thread_id', byRollout: true, remade: true },
      { table: 'thread_history_projection_state', of: 'thread_id', byRollout: true, remade: true },
    ],
    others: OF_ALL,
    references: [],
    triggers: ['thread_realtime_items_projection_cleanup'],
  },
  {
    name: 'logs',
    number: 2,
    tables: [{ table: 'logs', of: 'thread_id' }],
    others: OF_ALL,
    references: [],
    triggers: [],
  },
  {
    name: 'goals',
    number: 1,
    tables: [
      { table: 'thread_goals', of: 'thread_id' },
      { table: 'thread_goal_continuation_deferrals', of: 'thread_id' },
    ],
    others: OF_ALL,
    references: ['thread_goal_continuation_deferrals.thread_id > thread_goals'],
    triggers: [],
  },
  {
    name: 'memories',
    number: 1,
    tables: [{ table: 'stage1_outputs', of: 'thread_id' }],
    others: [...OF_ALL, 'consolidation_progress', 'jobs'],
    references: [],
    triggers: [],
  },
  {
    name: 'queue',
    number: 1,
    tables: [{ table: 'queued_items', of: 'thread_id' }],
    // It counts the changes of what is queued, and keeps on counting.
    others: [...OF_ALL, 'queued_thread_revisions'],
    references: [],
    triggers: [
      'queued_items_revision_after_delete',
      'queued_items_revision_after_insert',
      'queued_items_revision_after_update',
    ],
  },
];

export function fileOf({ name, number }: KnownDatabase): string {
  return `${name}_${number}.sqlite`;
}
