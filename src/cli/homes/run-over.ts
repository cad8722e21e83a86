import { chooseHomes } from '../../app/machine/choose-homes.ts';
import { Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { AgentOption } from '../command-options.ts';
import type { CommandModule, Over } from '../define/define-command.ts';
import type { HomesInput } from './homes-input.ts';
import { inHome } from './in-home.ts';

/**
 * Runs a command on the homes that it is about. One that was named is the only one; where the home in use is all there is, nothing is
 * different from a machine that knows no others.
 */
export async function runOver<O>(
  over: Over,
  module: CommandModule<O>,
  input: CommandInput<O & AgentOption>,
): Promise<number> {
  const { global, options, io } = input;
  if (global.home !== undefined || global.remote !== undefined) {
    if (options.agent !== undefined) throw alreadyOne(global.home === undefined ? '--remote' : '--home');
    return module.run(input);
  }
  const homes = await chooseHomes(io.env, options.agent);
  const [only] = homes;
  if (only === undefined || (homes.length === 1 && only.by === 'in-use')) return module.run(input);
  if (homes.length === 1 && options.agent !== undefined) return module.run(inHome(input, only));
  return runOn(over, module, { ...input, homes });
}

async function runOn<O>(over: Over, module: CommandModule<O>, input: HomesInput<O & AgentOption>): Promise<number> {
  switch (over) {
    case 'each': {
      const { runInEach } = await import('./run-in-each.ts');
      return runInEach(module, input);
    }
    case 'merged':
    case 'ruled': {
      const { codeWithout, withOpenHomes } = await import('./open-homes.ts');
      return withOpenHomes(input, over === 'merged' ? 'records' : 'rules', async (open) => {
        return codeWithout(input, open, (await module.runOver?.(open, input)) ?? 0);
      });
    }
    case 'named':
    case 'first-named': {
      const { runWhereNamed } = await import('./run-where-named.ts');
      return runWhereNamed(module, input, over === 'named' ? input.args : input.args.slice(0, 1));
    }
    case 'plan': {
      const { runPlans } = await import('./run-plans.ts');
      return runPlans(module, input);
    }
    case 'run': {
      const { runWhereItRan } = await import('./run-where-it-ran.ts');
      return runWhereItRan(module, input);
    }
    default:
      return over satisfies never;
  }
}

function alreadyOne(option: string): Failure {
  return new Failure('usage', `--agent chooses among the homes of this machine, and ${option} names one already.`, {
    hint: `Leave --agent out, or ${option}.`,
  });
}
