import { configTemplate } from '../../app/config/config-template.ts';
import { initConfig } from '../../app/config/init-config.ts';
import { homePath } from '../../app/home-path.ts';
import type { CommandInput } from '../command.ts';
import type { ConfigInitOptions } from '../command-options.ts';
import { writeJson } from '../json-output.ts';

/** `coppice config init`: makes the home when there is none. */
export async function run({ global, io, options }: CommandInput<ConfigInitOptions>): Promise<number> {
  const file = initConfig(homePath(global.home, io.env), { text: configTemplate(), force: options.force ?? false });
  if (global.json) writeJson(io.out, { file });
  else
    io.out.write(
      `Wrote ${file}, with every setting in it and none of them changed.\nAfter editing, run: coppice config check\n`,
    );
  return 0;
}
