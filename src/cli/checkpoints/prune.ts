import type { CheckpointsRequest } from '../../core/plan.ts';
import { DAY_MS } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import type { CheckpointsPruneOptions } from './options.ts';

const MEGABYTE = 1024 * 1024;

/** `coppice checkpoints prune`. Space that can be given back without removing anything is given back first. */
export function run(input: CommandInput<CheckpointsPruneOptions>): Promise<number> {
  return runByHand(input, () => requestFrom(input.options), {
    prepare: async (home) => (await home.retention()).reclaimCheckpoints({ insist: true }),
  });
}

function requestFrom(options: CheckpointsPruneOptions): CheckpointsRequest {
  const { retentionDays, maxSnapshots, maxSizeMb, keepOrphans = false } = options;
  return {
    kind: 'checkpoints',
    keepOrphans,
    ...(retentionDays !== undefined && { retentionMs: retentionDays * DAY_MS }),
    ...(maxSnapshots !== undefined && { maxSnapshots }),
    ...(maxSizeMb !== undefined && { maxBytes: maxSizeMb * MEGABYTE }),
  };
}
