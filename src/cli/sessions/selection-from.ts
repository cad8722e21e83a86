import { resolve } from 'node:path';
import type { SessionsQuery } from '../../app/sessions/sessions.ts';
import type { SessionFilter } from '../../core/retention/plan.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { FilterOptions } from '../command-options.ts';

export interface Selection {
  readonly filter: SessionFilter;
  readonly before?: EpochMs;
  readonly after?: EpochMs;
}

/** Which sessions a person means. A folder comes as a shell gives it: relative, or with a slash at its end. */
export function selectionFrom({ options, io }: CommandInput<FilterOptions>): Selection {
  const { olderThan: before, newerThan: after, workdir, minCost, maxCost } = options;
  return {
    filter: {
      ...asGiven(options),
      ...(workdir !== undefined && { workdir: resolve(io.cwd, workdir) }),
      ...(minCost !== undefined && { minCostUsd: minCost }),
      ...(maxCost !== undefined && { maxCostUsd: maxCost }),
    },
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

/** The same as a query, for commands that list. Undefined when nothing narrows it down. */
export function queryFrom(input: CommandInput<FilterOptions>): SessionsQuery | undefined {
  const { filter, before, after: since } = selectionFrom(input);
  const { source, ...others } = filter;
  const query = {
    ...(source !== undefined && { source }),
    ...(Object.keys(others).length > 0 && { filter: others }),
    ...(before !== undefined && { before }),
    ...(since !== undefined && { since }),
  };
  return Object.keys(query).length === 0 ? undefined : query;
}

/** The options that a filter has under the same name. */
const SAME_NAMES = [
  'source',
  'minMessages',
  'maxMessages',
  'title',
  'model',
  'endedBy',
  'minTokens',
  'maxTokens',
  'provider',
  'user',
  'chat',
  'branch',
] as const;

function asGiven(options: FilterOptions): SessionFilter {
  return Object.fromEntries(
    SAME_NAMES.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const])),
  );
}
