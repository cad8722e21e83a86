import type { App } from '../app/app.ts';
import { Failure } from '../core/failure.ts';
import { type CommandInput, placeOf } from './command.ts';
import { type Opening, withHome } from './with-home.ts';

/** The home a command works on, wherever it is: on this machine, or behind the daemon that `--remote` names. */
export async function withApp<O>(
  input: CommandInput<O>,
  work: (app: App) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const { global, io } = input;
  if (global.remote === undefined) return withHome(input, work, opening);
  if (global.set.length > 0) throw notSetThere();
  const place = placeOf(global);
  const { connectRemote } = await import('./remote/connect-remote.ts');
  using app = await connectRemote({
    url: global.remote,
    env: io.env,
    clock: io.clock,
    ...(place !== undefined && { home: place }),
  });
  return await work(app);
}

/** The same for commands that remove things: they must work on a full disk too. */
export function withAppToClear<O>(input: CommandInput<O>, work: (app: App) => Promise<number>): Promise<number> {
  return withApp(input, work, { makeRoom: true });
}

/** The same for commands that show what the rules would do: keys that nobody knows are a warning to them. */
export function withAppToLook<O>(
  input: CommandInput<O>,
  work: (app: App) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  return withApp(input, work, { ...opening, reading: 'rules' });
}

/** The same for commands that show what is there, whatever the rules are: no mistake in the configuration stops them. */
export function withAppRecords<O>(
  input: CommandInput<O>,
  work: (app: App) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  return withApp(input, work, { ...opening, reading: 'records' });
}

function notSetThere(): Failure {
  return new Failure('usage', '--set does not reach the daemon: it goes by the settings that it was started with.', {
    hint: 'Change config.yaml on its machine and start it again, or run the command there.',
  });
}
