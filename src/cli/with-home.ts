import type { Home } from '../app/home.ts';
import { openHome } from '../app/open-home.ts';
import type { CommandInput } from './command.ts';

export interface Opening {
  /** Makes the home when there is none. */
  readonly create?: boolean;
  /** For commands that remove things: they must work on a full disk too. */
  readonly makeRoom?: boolean;
}

/**
 * Opens the home a command works on and closes it afterwards. A home named by hand must exist unless the command says
 * otherwise: a mistyped path should not become an empty home.
 */
export async function withHome<O>(
  { global, io }: CommandInput<O>,
  work: (home: Home) => Promise<number>,
  { create = global.home === undefined, makeRoom = false }: Opening = {},
): Promise<number> {
  await using home = await openHome({
    ...(global.home !== undefined && { path: global.home }),
    create,
    settings: global.set,
    env: io.env,
    clock: io.clock,
    makeRoom,
  });
  return await work(home);
}
