import type { App } from '../../app/app.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { FilterOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { queryFrom } from './selection-from.ts';

/**
 * How a command is told which sessions it is about: by their ids, or by what they have in common. Never by both, because one
 * could be meant to narrow the other down, and never by neither, because nobody means all of them by it.
 */
export function howChosen(input: CommandInput<FilterOptions & { readonly all?: boolean }>): 'ids' | 'filters' {
  const { args, global, options } = input;
  const narrowed = queryFrom(input) !== undefined;
  if (narrowed && args.length > 0) {
    throw new Failure('usage', 'Name sessions, or choose them by options such as --source, not both.', {
      hint: `See which match with: ${hintCommand(global, 'sessions', 'list', '--help')}`,
    });
  }
  if (options.all === true && (narrowed || args.length > 0)) {
    throw new Failure('usage', '--all is every session, so nothing else can choose among them.', {
      hint: 'Leave --all out, or the rest.',
    });
  }
  if (narrowed || options.all === true) return 'filters';
  if (args.length > 0) return 'ids';
  throw new Failure('usage', 'Say which sessions: by their ids, or by options such as --source or --older-than.', {
    hint: `See them with: ${hintCommand(global, 'sessions', 'list')}`,
  });
}

/** The sessions that match now, most recent first. Archived ones are not among them. */
export async function matchingIds(home: App, input: CommandInput<FilterOptions>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of home.sessions.list(queryFrom(input))) ids.push(id);
  if (ids.length > 0) return ids;
  throw new Failure('not-found', 'No session matches, so there is nothing to do.', {
    hint: `See all of them with: ${hintCommand(input.global, 'sessions', 'list')}`,
  });
}
