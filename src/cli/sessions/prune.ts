import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { PlanRequest, SessionFilter } from '../../core/plan.ts';
import type { CommandInput } from '../command.ts';
import type { PruneOptions } from '../command-options.ts';
import { runByHand } from '../retention/run-by-hand.ts';

/** `coppice sessions prune` */
export function run(input: CommandInput<PruneOptions>): Promise<number> {
  const { options, io } = input;
  const { workdir } = options;
  // As a shell gives it: relative, or with a slash at its end.
  const request = requestFrom(workdir === undefined ? options : { ...options, workdir: resolve(io.cwd, workdir) });
  return runByHand(input, () => request);
}

function requestFrom(options: PruneOptions): PlanRequest {
  const filesOnly = options.filesOnly === true || options.keepRows === true;
  if (filesOnly && options.includeFiles === true) {
    throw new Failure('usage', '--include-files removes whole sessions, and --files-only keeps them.', {
      hint: 'Leave one of the two out.',
    });
  }
  const { olderThan: before } = options;
  return {
    kind: 'prune',
    filter: filterFrom(options),
    ...(before !== undefined && { before }),
    part: filesOnly ? 'files' : 'all',
  };
}

function filterFrom({ source, maxMessages, title, workdir, model, endedBy }: PruneOptions): SessionFilter {
  return {
    ...(source !== undefined && { source }),
    ...(maxMessages !== undefined && { maxMessages }),
    ...(title !== undefined && { title }),
    ...(workdir !== undefined && { workdir }),
    ...(model !== undefined && { model }),
    ...(endedBy !== undefined && { endedBy }),
  };
}
