import type { EpochMs } from '../../../core/time.ts';
import type { FoundEntry } from '../../../platform/files/walk-tree.ts';

/** Everything of one sort in a home, outside of sessions. */
export interface HermesClass {
  readonly name: HermesClassName;
  readonly files: number;
  /** What it takes on the disk. */
  readonly sizeBytes: number;
  readonly newestAt: EpochMs;
  /** Hermes itself never cuts it back. */
  readonly unbounded: boolean;
}

export type HermesClassName = (typeof CLASSES)[number]['name'];

/** Names as Hermes writes them, paths relative to the home. The first that fits counts. */
const CLASSES = [
  { name: 'database', unbounded: true, fits: /^state\.db(-wal|-shm|-journal)?$/ },
  { name: 'malformed-backup', unbounded: true, fits: /^state\.db\.malformed-backup-/ },
  { name: 'zeroed-database', unbounded: true, fits: /^state\.db\.zeroed-.*\.bak$/ },
  { name: 'marker-backup', unbounded: true, fits: /^state\.db\.pre-clean-markers-backup-/ },
  { name: 'lock', unbounded: false, fits: /^(state\.db\.[a-z_-]+\.lock|\.checkpoints\.lock)$/ },
  { name: 'checkpoints', unbounded: false, fits: /^checkpoints\// },
  { name: 'cron-output', unbounded: false, fits: /^cron\/output\// },
  { name: 'cron-audit', unbounded: true, fits: /^cron\/usage_audit\.jsonl$/ },
  { name: 'cron', unbounded: false, fits: /^cron\/(jobs\.json|\.(jobs|tick)\.lock|(executions|notepad)\.db(-\w+)?)$/ },
  { name: 'state-snapshot', unbounded: false, fits: /^state-snapshots\// },
  { name: 'backup', unbounded: false, fits: /^backups\/pre-(update|migration)-.*\.zip$/ },
  { name: 'subagent-log', unbounded: true, fits: /^logs\/(subagent-timeout-.*\.log|curator\/.*|update\.log)$/ },
  { name: 'log', unbounded: false, fits: /^logs\// },
  { name: 'spawn-tree', unbounded: true, fits: /^spawn-trees\// },
  { name: 'moa-trace', unbounded: true, fits: /^moa-traces\// },
  {
    name: 'media-cache',
    unbounded: false,
    fits: /^(cache\/(images|audio|videos|documents|screenshots)|(image|audio|video|document)_cache)\//,
  },
  { name: 'work-cache', unbounded: true, fits: /^(cache\/(web|delegation|vision)|browser_recordings)\// },
  { name: 'session-export', unbounded: true, fits: /^session-exports\// },
  {
    name: 'other-database',
    unbounded: false,
    fits: /^((response_store|verification_evidence|kanban|projects|memory_store)\.db(-\w+)?$|kanban\/boards\/|gateway\/discord_message_recovery\.db)/,
  },
  // Messages that its database refused: each is the only copy.
  { name: 'pending-message', unbounded: false, fits: /^pending_messages\// },
  {
    name: 'runtime',
    unbounded: false,
    fits: /^(runtime\/|disk-cleanup\/|(processes|gateway_state|channel_directory)\.json$|gateway\.pid$|\.(update_|clean_shutdown|restart_failure_counts))/,
  },
  { name: 'settings', unbounded: false, fits: /^((config\.yaml|\.env|auth\.json|SOUL\.md)$|(memories|skills|lib)\/)/ },
  // What Coppice keeps about this home: runs, trash, archive.
  { name: 'coppice', unbounded: false, fits: /^\.coppice\// },
  // Each is a home of its own.
  { name: 'profile', unbounded: false, fits: /^profiles\// },
] as const;

/** Which sort of thing a path outside of `sessions/` is. Undefined when Hermes is not known to write it. */
export function classOf(path: string): HermesClassName | undefined {
  return CLASSES.find(({ fits }) => fits.test(path))?.name;
}

/** Adds up entries by class. */
export function sumClasses(): { add(name: HermesClassName, entry: FoundEntry): void; sums(): HermesClass[] } {
  const byName = new Map<HermesClassName, { files: number; sizeBytes: number; newestAt: number }>();
  return {
    add(name, { diskBytes, modifiedAt }) {
      const sum = byName.get(name) ?? { files: 0, sizeBytes: 0, newestAt: 0 };
      sum.files += 1;
      sum.sizeBytes += diskBytes;
      sum.newestAt = Math.max(sum.newestAt, modifiedAt);
      byName.set(name, sum);
    },
    sums: () =>
      CLASSES.flatMap(({ name, unbounded }) => {
        const sum = byName.get(name);
        return sum === undefined ? [] : [{ name, ...sum, unbounded }];
      }),
  };
}
