import { serve } from '../../daemon/serve.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../json-output.ts';
import { withHomeToStay } from '../with-home.ts';
import type { ServeOptions } from './options.ts';
import { addressOf } from './serve-address.ts';

/** `coppice serve`. It runs until Ctrl-C or SIGTERM; the log goes to stderr, one line for each notable thing. */
export function run(input: CommandInput<ServeOptions>): Promise<number> {
  const { io, global, options } = input;
  const address = addressOf(options, io.cwd);
  return withHomeToStay(input, async (home) => {
    await serve({
      home,
      clock: io.clock,
      address,
      say: (line) => io.err.write(`${new Date(io.clock.now()).toISOString()} ${line}\n`),
      onReady: ({ url, tokenPath }) => {
        if (global.json) writeJson(io.out, { url, tokenPath });
        else io.out.write(`Serving ${home.path} at ${url}\nThe token is in ${tokenPath}\nCtrl-C stops it.\n`);
      },
      signal: io.signal,
    });
    return 0;
  });
}
