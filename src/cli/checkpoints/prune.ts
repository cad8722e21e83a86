import { resolve } from 'node:path';
import type { CheckpointsRequest, PlanRequest } from '../../core/retention/plan.ts';
import { DAY_MS } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import type { CheckpointsPruneOptions } from './options.ts';

const MEGABYTE = 1024 * 1024;

/** `coppice checkpoints prune`. Space that can be given back without removing anything is given back first. */
export function run(input: CommandInput<CheckpointsPruneOptions>): Promise<number> {
  const { options } = input;
  return runByHand(input, () => saidGone(input) ?? requestFrom(options), {
    prepare: async (home) => (await home.retention()).reclaimCheckpoints({ insist: true }),
    typed: options.unreachable === true,
  });
}

/** What a person says about folders of which nothing is known. */
function saidGone({ options, io }: CommandInput<CheckpointsPruneOptions>): PlanRequest | undefined {
  const { gone, unreachable } = options;
  if (unreachable === true) return { kind: 'clear-checkpoints', unreachable };
  if (gone === undefined) return undefined;
  return { kind: 'clear-checkpoints', gone: gone.startsWith('~') ? gone : resolve(io.cwd, gone) };
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
