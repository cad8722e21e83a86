import { readCheckpointSettings } from '../../homes/hermes/checkpoints/store/checkpoint-settings.ts';
import { ARCHIVED_TAG } from '../../homes/hermes/sessions/hermes-session-item.ts';
import type { Config } from '../config/config-schema.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/**
 * The rules for a Hermes home. Where they are not set, what a person put away in Hermes stays, as it does when Hermes itself
 * prunes, and the limits on checkpoints are those that Hermes has.
 */
export function hermesDefaults(home: string, { config, origins }: LoadedConfig): Config {
  const unset = (key: string) => origins.get(key)?.level === 'default';
  const { sessions, checkpoints } = config;
  const { maxSnapshots, maxTotalSizeMb, maxFileSizeMb } = readCheckpointSettings(home);
  return {
    ...config,
    sessions: unset('sessions.keep_tags') ? { ...sessions, keep_tags: [ARCHIVED_TAG] } : sessions,
    checkpoints: {
      ...checkpoints,
      ...(maxSnapshots !== undefined && unset('checkpoints.max_snapshots') && { max_snapshots: maxSnapshots }),
      ...(maxTotalSizeMb !== undefined &&
        unset('checkpoints.max_total_size_mb') && { max_total_size_mb: maxTotalSizeMb }),
      ...(maxFileSizeMb !== undefined && unset('checkpoints.max_file_size_mb') && { max_file_size_mb: maxFileSizeMb }),
    },
  };
}
