import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { ServeParts } from '../../daemon/serve.ts';
import type { ServeOptions } from './options.ts';

/** Where it is looked for when nobody says where it listens. */
export const PORT = 7717;

/** Where the daemon listens. */
export function addressOf({ port, socket, host, public: beyond }: ServeOptions, cwd: string): ServeParts['address'] {
  if (socket === undefined) {
    return { host: host ?? (beyond === true ? '0.0.0.0' : '127.0.0.1'), port: port ?? PORT, ...(beyond && { beyond }) };
  }
  if (port === undefined && host === undefined && beyond === undefined) return { socket: resolve(cwd, socket) };
  throw new Failure('usage', '--socket was given together with --port, --host or --public.', {
    hint: 'A socket has none of these: leave them out.',
  });
}
