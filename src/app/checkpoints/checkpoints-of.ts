import type { CheckpointParts } from '../../checkpoints/checkpoint-parts.ts';
import type { HomeCheckpoints } from '../../checkpoints/home-checkpoints.ts';
import { DAY_MS } from '../../core/time.ts';
import { nativeCheckpoints } from '../../homes/native/native-checkpoints.ts';
import type { HomeParts } from '../home-parts.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';
import { recallSightings } from './checkpoint-sightings.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';

/** The checkpoints of a home of whatever kind. */
export function checkpointsOf(parts: HomeParts): HomeCheckpoints {
  const own = checkpointParts(parts);
  return parts.foreign?.checkpoints(own) ?? nativeCheckpoints(own);
}

export function checkpointParts(parts: HomeParts): CheckpointParts {
  const { config, clock, store } = parts;
  return {
    storeOptions: checkpointStoreOptions(parts),
    maxBytes: policyFromConfig(config).checkpoints.maxBytes,
    trashGraceMs: config.trash.grace_days * DAY_MS,
    clock,
    records: () => store,
    sightings: () => recallSightings(parts),
  };
}
