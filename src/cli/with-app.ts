import type { App } from '../app/app.ts';
import type { CommandInput } from './command.ts';
import { withHome } from './with-home.ts';

/**
 * The home a command works on, wherever it is: on this machine, or behind the daemon that `--remote` names. `makeRoom` is for
 * commands that remove things: they must work on a full disk too.
 */
export async function withApp<O>(
  input: CommandInput<O>,
  work: (app: App) => Promise<number>,
  options: { readonly makeRoom?: boolean } = {},
): Promise<number> {
  const { global, io } = input;
  if (global.remote === undefined) return withHome(input, work, options);
  const { connectRemote } = await import('./remote/connect-remote.ts');
  using app = await connectRemote({
    url: global.remote,
    env: io.env,
    ...(global.home !== undefined && { home: global.home }),
  });
  return await work(app);
}
