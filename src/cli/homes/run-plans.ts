import { homeOfPlan } from '../../app/machine/home-of-plan.ts';
import type { CommandModule } from '../define/define-command.ts';
import type { HomesInput } from './homes-input.ts';
import { inHome, writeHeading } from './in-home.ts';

/** Applies plans, each in the home that it was made for. The first that could not be carried out in full is where it ends. */
export async function runPlans<O>(module: CommandModule<O>, input: HomesInput<O>): Promise<number> {
  const { args, homes, io, global } = input;
  const targets = args.map((name) => ({ name, home: homeOfPlan(name, homes, io.cwd) }));
  const [first] = targets;
  if (global.json || targets.every(({ home }) => home === first?.home)) {
    const { home } = first ?? {};
    return module.run(home === undefined || home.by === 'in-use' ? input : inHome(input, home));
  }
  for (const [at, { name, home }] of targets.entries()) {
    if (home !== undefined) {
      if (at > 0) io.out.write('\n');
      writeHeading(io.out, home);
    }
    const code = await module.run(home === undefined ? { ...input, args: [name] } : inHome(input, home, [name]));
    if (code !== 0) return code;
  }
  return 0;
}
