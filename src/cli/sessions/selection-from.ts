import { resolve } from 'node:path';
import type { SessionsQuery } from '../../app/sessions/list-query.ts';
import { FILTER_NAMES, SESSION_FILTERS, type SessionFilter } from '../../core/sessions/session-filters.ts';
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
  const { olderThan: before, newerThan: after } = options;
  return {
    filter: filterFrom(options, io.cwd),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

/** Commands that list can be told in two ways from when and until when; both hold. */
type Listing = FilterOptions & { readonly since?: EpochMs; readonly before?: EpochMs };

/** The same as a query, for commands that list. Undefined when nothing narrows it down. */
export function queryFrom(input: CommandInput<Listing>): SessionsQuery | undefined {
  const { filter, before: below = Number.POSITIVE_INFINITY, after = 0 } = selectionFrom(input);
  const since = Math.max(after, input.options.since ?? 0);
  const before = Math.min(below, input.options.before ?? Number.POSITIVE_INFINITY);
  const query = {
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(Number.isFinite(before) && { before }),
    ...(since > 0 && { since }),
  };
  return Object.keys(query).length === 0 ? undefined : query;
}

function filterFrom(options: FilterOptions, cwd: string): SessionFilter {
  const entries = FILTER_NAMES.flatMap((name) => {
    const spec: { readonly option: string; readonly folder?: true } = SESSION_FILTERS[name];
    const value = options[optionKey(spec.option)];
    if (value === undefined) return [];
    return [[name, spec.folder === true && typeof value === 'string' ? resolve(cwd, value) : value] as const];
  });
  return Object.fromEntries(entries);
}

/** `minCost` for `--min-cost <usd>`, as the parser of the command line has it. */
function optionKey(option: string): keyof FilterOptions {
  const [, name = ''] = /^--([a-z-]+)/.exec(option) ?? [];
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof FilterOptions;
}
