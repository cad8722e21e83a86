import { configTemplate } from '../../app/config/config-template.ts';
import { initConfig } from '../../app/config/init-config.ts';
import { ownPath } from '../../app/home-path.ts';
import { openHome } from '../../app/open-home.ts';
import { type CommandInput, placeOf } from '../command.ts';
import type { ConfigInitOptions } from '../command-options.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeText } from '../print/safe-text.ts';

/** `coppice config init`: makes the home when there is none. */
export async function run({ global, io, options }: CommandInput<ConfigInitOptions>): Promise<number> {
  const path = await ownPath(placeOf(global), io.env);
  const { file, kept } = initConfig(path, { text: configTemplate(), force: options.force ?? false });
  // Opening it once makes the database, and with it a home that every command accepts.
  await (await openHome({ path, env: io.env })).close();
  if (global.json) writeJson(io.out, { file });
  else {
    const check = hintCommand(global, 'config', 'check');
    const said = kept
      ? `The home is ready. ${safeText(file)} was there and stays as it is.\nTo see whether it is in order, run: ${check}\n`
      : `Wrote ${safeText(file)}.\nIt explains every setting; edit it, then run: ${check}\n`;
    io.out.write(said);
  }
  return 0;
}
