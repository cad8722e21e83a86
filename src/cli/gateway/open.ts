import { Failure } from '../../core/failure.ts';
import { showInBrowser } from '../../app/service/show-in-browser.ts';
import { type CommandInput, placeOf } from '../command.ts';
import { writeJson } from '../print/json-output.ts';
import { connectDaemon } from '../remote/connect-remote.ts';
import type { OpenOptions } from './options.ts';
import { PORT } from './serve-address.ts';

/** `coppice open`: a link that signs a browser in once, in the browser of this machine where there is one. */
export async function run({ io, global, options }: CommandInput<OpenOptions>): Promise<number> {
  const url = urlOf(global.remote, options);
  const place = placeOf(global);
  using client = connectDaemon({ url, env: io.env, clock: io.clock, ...(place !== undefined && { home: place }) });
  const { path, expiresAt } = await client.call('POST /api/sign-in-links', {});
  const link = new URL(path, url).href;
  if (global.json) {
    writeJson(io.out, { link, expiresAt });
    return 0;
  }
  const opened = options.print !== true && (await showInBrowser(link, io.env));
  io.out.write(`${opened ? OPENED : PRINTED}\n  ${link}\n`);
  return 0;
}

const OPENED = 'Your browser opens the page. If it does not, open this within a minute; it works once:';
const PRINTED = 'Open this in a browser within a minute; it works once:';

function urlOf(remote: string | undefined, { port }: OpenOptions): string {
  if (remote === undefined) return `http://127.0.0.1:${port ?? PORT}`;
  if (port !== undefined) {
    throw new Failure('usage', '--port was given together with --remote.', { hint: 'Put the port into the address.' });
  }
  if (!remote.startsWith('unix:')) return remote;
  throw new Failure('usage', 'A browser cannot open a Unix socket.', {
    hint: 'Start the daemon with a port, such as: coppice serve --port 8000',
  });
}
