import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { type ServeParts, serve } from '../../daemon/serve.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../json-output.ts';
import { withHomeToStay } from '../with-home.ts';
import type { ServeOptions } from './options.ts';

const PORT = 7717;

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

function addressOf({ port, socket, host, public: beyond }: ServeOptions, cwd: string): ServeParts['address'] {
  if (socket === undefined) {
    return { host: host ?? (beyond === true ? '0.0.0.0' : '127.0.0.1'), port: port ?? PORT, ...(beyond && { beyond }) };
  }
  if (port === undefined && host === undefined && beyond === undefined) return { socket: resolve(cwd, socket) };
  throw new Failure('usage', '--socket was given together with --port, --host or --public.', {
    hint: 'A socket has none of these: leave them out.',
  });
}
