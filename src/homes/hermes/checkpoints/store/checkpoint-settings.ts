import { join } from 'node:path';
import { isJsonObject } from '../../../../core/json.ts';
import { readHermesConfig } from '../../read-hermes-config.ts';

/** What Hermes' own `config.yaml` says about the size of checkpoints. What it does not say, or not as a number, is absent. */
export interface CheckpointSettings {
  readonly maxSnapshots?: number;
  readonly maxTotalSizeMb?: number;
  readonly maxFileSizeMb?: number;
}

export function readCheckpointSettings(home: string): CheckpointSettings {
  const config = readHermesConfig(join(home, 'config.yaml'));
  const section = isJsonObject(config) ? config['checkpoints'] : undefined;
  if (!isJsonObject(section)) return {};
  const { max_snapshots: snapshots, max_total_size_mb: total, max_file_size_mb: file } = section;
  return {
    ...(isNumber(snapshots) && snapshots >= 1 && { maxSnapshots: Math.floor(snapshots) }),
    ...(isNumber(total) && { maxTotalSizeMb: total > 0 ? total : NO_LIMIT_MB }),
    ...(isNumber(file) && file > 0 && { maxFileSizeMb: file }),
  };
}

/** Zero means no limit to Hermes. More than any disk holds, it means the same here. */
const NO_LIMIT_MB = 1_000_000_000;

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
