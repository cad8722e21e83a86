import type { Home } from '../../app/home.ts';
import type { KnownHome } from '../../app/machine/known-homes.ts';
import type { Run } from '../../core/retention/run.ts';
import type { CommandModule } from '../define/define-command.ts';
import { itemsOf } from '../retention/items-of.ts';
import type { HomesInput } from './homes-input.ts';
import { inHome } from './in-home.ts';
import { type OpenKnownHome, withOpenHomes } from './open-homes.ts';

/** Runs a command in the home in which a run was made: the one that is named, else the last that can give anything back. */
export async function runWhereItRan<O>(module: CommandModule<O>, input: HomesInput<O>): Promise<number> {
  const [id] = input.args;
  const known = await withOpenHomes(input, 'records', (open) => (id === undefined ? lastOf(open) : withRun(open, id)));
  return module.run(known === undefined || known.by === 'in-use' ? input : inHome(input, known));
}

async function withRun(open: readonly OpenKnownHome[], id: string): Promise<KnownHome | undefined> {
  for (const { known, home } of open) {
    for await (const run of (await home.retention()).runs()) if (run.id === id) return known;
  }
  return undefined;
}

async function lastOf(open: readonly OpenKnownHome[]): Promise<KnownHome | undefined> {
  let last: { readonly known: KnownHome; readonly at: number } | undefined;
  for (const { known, home } of open) {
    const run = await undoable(home);
    if (run !== undefined && (last === undefined || run.startedAt > last.at)) last = { known, at: run.startedAt };
  }
  return last?.known;
}

/** The newest with something to give back, or that was cut short: what is to be done about it, the command says. */
async function undoable(home: Home): Promise<Run | undefined> {
  const retention = await home.retention();
  for await (const run of retention.runs()) {
    if ((await itemsOf(retention, run.id, 'trashed', 'archived', 'intended', 'undoing')).length > 0) return run;
  }
  return undefined;
}
