import type { Home } from '../app/home.ts';
import { type OpenHomeOptions, openHome } from '../app/open-home.ts';
import { type CommandInput, placeOf } from './command.ts';
import { forSamePlace } from './hint-command.ts';
import { WALL_CLOCK } from './io.ts';
import { safeText } from './print/safe-text.ts';
import { warnOfConfig } from './warn-of-config.ts';

export interface Opening {
  /** Makes the home when there is none. */
  readonly create?: boolean;
  /** For commands that remove things: they must work on a full disk too. */
  readonly makeRoom?: boolean;
  /** For commands that stay: they must not keep others from the home of a full disk. */
  readonly long?: boolean;
  /** For commands that only look: a mistake in the configuration is a warning to them. */
  readonly reading?: NonNullable<OpenHomeOptions['reading']>;
}

/**
 * Opens the home a command works on and closes it afterwards. A home named by hand must exist unless the command says
 * otherwise: a mistyped path should not become an empty home.
 */
export async function withHome<O>(
  input: CommandInput<O>,
  work: (home: Home) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const { global, io } = input;
  const told: string[] = [];
  await using home = await openFor(input, { ...opening, tell: (sentence) => told.push(sentence) });
  // Whatever a dead supervisor left running has no limits any more.
  const mayChange = home.foreign === undefined && home.configIssues.length === 0 && !home.onlyRead;
  if (opening.reading !== 'records' && mayChange) await home.gateway.closeOrphans();
  const code = await work(home);
  // Programs find the same in the status.
  if (!global.json) for (const sentence of told) io.err.write(`${safeText(forSamePlace(global, sentence))}\n`);
  return code;
}

/** The home that a command is about, open, after a word about mistakes in its configuration. Whoever asks closes it. */
export async function openFor<O>(
  { global, io }: CommandInput<O>,
  {
    create = global.home === undefined,
    makeRoom = false,
    long = false,
    reading,
    tell,
  }: Opening & Pick<OpenHomeOptions, 'tell'>,
): Promise<Home> {
  const path = placeOf(global);
  const home = await openHome({
    ...(path !== undefined && { path }),
    create,
    settings: global.set,
    env: io.env,
    ...(io.clock !== WALL_CLOCK && { clock: io.clock }),
    makeRoom,
    brief: !long,
    ...(tell !== undefined && { tell }),
    ...(reading !== undefined && { reading }),
  });
  warnOfConfig(io.err, global, home.configIssues);
  return home;
}

/** The same for commands that stay. */
export function withHomeToStay<O>(input: CommandInput<O>, work: (home: Home) => Promise<number>): Promise<number> {
  return withHome(input, work, { long: true });
}
