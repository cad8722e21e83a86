import { resolve } from 'node:path';
import type { Config } from '../../app/config/config-schema.ts';
import { homePath } from '../../app/home-path.ts';
import { Failure } from '../../core/failure.ts';
import { type ServeParts, serve } from '../../daemon/serve.ts';
import type { CommandInput } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { withHomeToStay } from '../with-home.ts';
import { PAGE_FOLDER } from '../package-files.ts';
import type { ServeOptions } from './options.ts';
import { signOut } from './sign-out.ts';
import { addressOf, PORT } from './serve-address.ts';

/** `coppice serve`. It runs until Ctrl-C or SIGTERM; the log goes to stderr, one line for each notable thing. */
export function run(input: CommandInput<ServeOptions>): Promise<number> {
  const { io, global, options } = input;
  if (options.signOut === true) return signOut(input);
  const address = addressOf(options, io.cwd);
  return withHomeToStay(input, async (home) => {
    await serve({
      home,
      clock: io.clock,
      // Another one that was named is served alone.
      ...(home.path === homePath(undefined, io.env) && { env: io.env }),
      address,
      tls: certificateOf(options, home.config.serve, io.cwd),
      pageFolder: PAGE_FOLDER,
      say: (line) => io.err.write(`${new Date(io.clock.now()).toISOString()} ${line}\n`),
      onReady: ({ url, tokenPath }) => {
        if (global.json) writeJson(io.out, { url, tokenPath });
        else
          io.out.write(`Serving ${home.path} at ${url}\nThe token is in ${tokenPath}\n${look(url)}Ctrl-C stops it.\n`);
      },
      signal: io.signal,
    });
    return 0;
  });
}

/** How to look at it. A browser cannot open a socket. */
function look(url: string): string {
  if (url.startsWith('unix:')) return '';
  return `To look at it in a browser: ${url.endsWith(`:${PORT}`) ? 'coppice open' : `coppice open --remote ${url}`}\n`;
}

/** What was typed, else what is configured. A socket is reached from this machine alone and needs none. */
function certificateOf(
  { tlsCert, tlsKey, socket }: ServeOptions,
  { tls_cert: certThere, tls_key: keyThere }: Config['serve'],
  cwd: string,
): ServeParts['tls'] {
  const typed = tlsCert !== undefined || tlsKey !== undefined;
  if (socket !== undefined && typed) throw noTlsThere();
  const cert = typed ? tlsCert : configured(certThere);
  const key = typed ? tlsKey : configured(keyThere);
  if (socket !== undefined || (cert === undefined && key === undefined)) return undefined;
  if (cert !== undefined && key !== undefined) return { cert: resolve(cwd, cert), key: resolve(cwd, key) };
  throw new Failure('usage', 'A certificate needs its key, and a key its certificate.', {
    hint: 'Give both: --tls-cert FILE --tls-key FILE',
  });
}

function configured(path: string): string | undefined {
  return path === 'none' ? undefined : path;
}

function noTlsThere(): Failure {
  return new Failure('usage', '--socket was given together with --tls-cert or --tls-key.', {
    hint: 'A socket is reached from this machine alone: leave them out.',
  });
}
