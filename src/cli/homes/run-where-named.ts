import { Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { AgentOption } from '../command-options.ts';
import type { CommandModule } from '../define/define-command.ts';
import { type FoundSession, findSession } from './find-session.ts';
import type { HomesInput } from './homes-input.ts';
import { inHome } from './in-home.ts';
import { withOpenHomes } from './open-homes.ts';

/**
 * Runs a command in the home that has what was named. What is chosen by options instead of names is a matter of one home: of the one in
 * use, unless another was named, so that a rule that somebody wrote for one home never cuts back another.
 */
export async function runWhereNamed<O>(
  module: CommandModule<O>,
  input: HomesInput<O & AgentOption>,
  names: readonly string[] = input.args,
): Promise<number> {
  const { args, homes, options } = input;
  if (names.length === 0) {
    if (options.agent === undefined) return module.run(input);
    throw severalOf(options.agent, homes);
  }
  const found = await withOpenHomes(input, 'records', async (open) => {
    const all: (FoundSession | undefined)[] = [];
    for (const name of names) all.push(await findSession(open, name));
    return all;
  });
  const there = found.filter((each) => each !== undefined);
  const [first] = there;
  if (first === undefined) return tryEach(module, input);
  if (there.some(({ at }) => at.known !== first.at.known)) throw inSeveral(names, found);
  const typed = names.map((name, at) => found[at]?.typed ?? name);
  return module.run(inOne(input, first.at.known, [...typed, ...args.slice(names.length)]));
}

/** Hints of a command on the home in use name no home, as where there is only one. */
function inOne<O>(
  input: CommandInput<O>,
  known: FoundSession['at']['known'],
  args: readonly string[],
): CommandInput<O> {
  return known.by === 'in-use' ? { ...input, args } : inHome(input, known, args);
}

/** No session is called so. It may be something else that the command knows by name, in any of the homes. */
async function tryEach<O>(module: CommandModule<O>, input: HomesInput<O>): Promise<number> {
  let first: unknown;
  for (const known of input.homes) {
    try {
      return await module.run(inOne(input, known, input.args));
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
      first ??= error;
    }
  }
  throw first;
}

function inSeveral(names: readonly string[], found: readonly (FoundSession | undefined)[]): Failure {
  const lines = names.flatMap((name, at) => {
    const home = found[at]?.at.known.name;
    return home === undefined ? [] : [`  ${home}  ${name}`];
  });
  return new Failure('usage', ['These sessions are in several homes:', ...lines].join('\n'), {
    hint: 'Nothing was done. Name those of one home at a time.',
  });
}

function severalOf(agent: string, homes: HomesInput<unknown>['homes']): Failure {
  const names = homes.map(({ name }) => name).join(', ');
  return new Failure('usage', `There are several homes of ${agent}: ${names}.`, {
    hint: 'Nothing was done. Name one of them with: --home NAME',
  });
}
