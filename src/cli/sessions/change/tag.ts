import { Failure } from '../../../core/failure.ts';
import type { CommandInput } from '../../command.ts';
import type { TagOptions } from '../../command-options.ts';
import { changeSession } from './change-session.ts';

/** `coppice sessions tag ID --add T --remove T` */
export function run(input: CommandInput<TagOptions>): Promise<number> {
  if (input.options.add === undefined && input.options.remove === undefined) {
    throw new Failure('usage', 'There is no tag to add or remove.', {
      hint: 'Say which with --add TAG or --remove TAG. For example: --add work',
    });
  }
  return changeSession(input, (session) => session.tag(input.options));
}
