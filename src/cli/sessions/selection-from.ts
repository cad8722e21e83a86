import { resolve } from 'node:path';
import type { SessionFilter } from '../../core/plan.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { FilterOptions } from '../command-options.ts';

export interface Selection {
  readonly filter: SessionFilter;
  readonly before?: EpochMs;
}

/** Which sessions a person means. A folder comes as a shell gives it: relative, or with a slash at its end. */
export function selectionFrom({ options, io }: CommandInput<FilterOptions>): Selection {
  const { olderThan: before, source, maxMessages, title, workdir, model, endedBy } = options;
  return {
    filter: {
      ...(source !== undefined && { source }),
      ...(maxMessages !== undefined && { maxMessages }),
      ...(title !== undefined && { title }),
      ...(workdir !== undefined && { workdir: resolve(io.cwd, workdir) }),
      ...(model !== undefined && { model }),
      ...(endedBy !== undefined && { endedBy }),
    },
    ...(before !== undefined && { before }),
  };
}
