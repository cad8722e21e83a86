import type { Clock } from '../core/time.ts';
import type { FoundHome, HomeDefaults } from '../homes/home-kind.ts';
import type { NativeLayout } from '../homes/native/native-layout.ts';
import type { CompanionStore } from '../keeping/companion.ts';
import type { CopySession } from '../keeping/copy-session.ts';
import { IN_MEMORY } from '../store/sqlite/database/connection.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { archiveObjects } from './archive-objects.ts';
import type { Config } from './config/config-schema.ts';
import type { LoadedConfig } from './config/load-config.ts';
import type { HomeParts } from './home-parts.ts';
import { importSession } from './transfer/import-home.ts';

export interface ForeignRequest {
  /** Where Coppice keeps its own records about it. */
  readonly layout: NativeLayout;
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  /** It is closed soon: on a full disk others may wait for that. */
  readonly brief: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens the home of another agent: its sessions are read where they are, and nothing is written before the first change. */
export async function openForeign(
  found: FoundHome,
  request: ForeignRequest,
): Promise<Omit<HomeParts, 'configuration' | 'configIssues'>> {
  const { layout, loaded, clock } = request;
  const config = withDefaults(loaded, found.defaults());
  const { codec } = loaded.config.archive;
  const objects = archiveObjects(loaded.config.archive, request.env);
  const foreign = await found.open({ layout, clock, codec, objects, records: recordsFor(request), copySession });
  return {
    layout,
    config,
    store: foreign.store,
    clock,
    objects,
    transcripts: { [Symbol.dispose]: () => undefined },
    foreign,
    ...(found.format && { format: found.format }),
  };
}

/** How Coppice's own records about it are opened. */
export function recordsFor({
  layout,
  clock,
  brief,
}: Pick<ForeignRequest, 'layout' | 'clock' | 'brief'>): CompanionStore {
  return (path = IN_MEMORY) =>
    openSqliteStore({
      path,
      scratchDir: layout.root,
      clock,
      brief,
      transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
    });
}

/** As an import does it. */
export const copySession: CopySession = async (into, facts, from) => {
  const { status, problems } = await importSession(into, facts, { from });
  const message = problems[0]?.message;
  const copied = status === 'imported' || status === 'already-there';
  return {
    status: copied ? 'copied' : status === 'failed' ? 'failed' : 'conflict',
    ...(message !== undefined && { message }),
  };
};

/** What nobody set in Coppice is as its agent has it. */
function withDefaults({ config, origins }: LoadedConfig, theirs: HomeDefaults): Config {
  const unset = (key: string) => origins.get(key)?.level === 'default';
  const { sessions, checkpoints } = config;
  const { keepTags, maxSnapshots, maxTotalSizeMb, maxFileSizeMb } = theirs;
  return {
    ...config,
    sessions:
      keepTags !== undefined && unset('sessions.keep_tags') ? { ...sessions, keep_tags: [...keepTags] } : sessions,
    checkpoints: {
      ...checkpoints,
      ...(maxSnapshots !== undefined && unset('checkpoints.max_snapshots') && { max_snapshots: maxSnapshots }),
      ...(maxTotalSizeMb !== undefined &&
        unset('checkpoints.max_total_size_mb') && { max_total_size_mb: maxTotalSizeMb }),
      ...(maxFileSizeMb !== undefined && unset('checkpoints.max_file_size_mb') && { max_file_size_mb: maxFileSizeMb }),
    },
  };
}
