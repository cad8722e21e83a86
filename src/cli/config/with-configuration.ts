import { type Configuration, configurationOf } from '../../app/config/configuration.ts';
import { configPath } from '../../app/home-path.ts';
import { type CommandInput, placeOf } from '../command.ts';
import { withApp } from '../with-app.ts';

/** The configuration a command is about. The home itself is not opened: it need not exist, and its settings may be wrong. */
export async function withConfiguration<O>(
  input: CommandInput<O>,
  work: (configuration: Configuration) => Promise<number>,
): Promise<number> {
  const { global, io } = input;
  if (global.remote !== undefined) return withApp(input, ({ configuration }) => work(configuration));
  const file = await configPath(placeOf(global), io.env);
  return work(configurationOf({ file, env: io.env, overrides: global.set }));
}
