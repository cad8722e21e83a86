import { readFileSync } from 'node:fs';
import type { RemoteApp } from '../../app/app.ts';
import { homePath } from '../../app/home-path.ts';
import { type Client, createClient } from '../../client/client.ts';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../core/time.ts';
import { readToken, tokenPath } from '../../daemon/token.ts';
import { openRemoteHome } from './remote-home.ts';

export interface RemotePlace {
  readonly url: string;
  readonly home?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Asks the daemon at this address for its home. */
export async function connectRemote(place: RemotePlace): Promise<RemoteApp> {
  return openRemoteHome(connectDaemon(place), place.clock);
}

/** A client with the token for this address. */
export function connectDaemon(place: RemotePlace): Client {
  const { COPPICE_CA_FILE: file } = place.env;
  const ca = file === undefined ? {} : { ca: readCa(file) };
  return createClient({ url: place.url, token: findToken(place), ...ca });
}

/** The certificate that a private one is signed by. */
function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure('usage', `The certificate in ${file} could not be read.`, {
      hint: 'Set COPPICE_CA_FILE to a file that holds one, or do not set it.',
      cause: error,
    });
  }
}

/** `COPPICE_TOKEN`, the file named by `COPPICE_TOKEN_FILE`, or that of the home on this machine: for this machine only. */
function findToken({ url, home, env }: RemotePlace): string {
  const { COPPICE_TOKEN: token, COPPICE_TOKEN_FILE: file } = env;
  if (token !== undefined) return token.trim();
  if (file !== undefined) return readNamed(file, () => readFileSync(file, 'utf8').trim());
  // The client says what is wrong with the address.
  if (!URL.canParse(url)) return '';
  if (!isHere(url)) throw new Failure('usage', 'A daemon on another machine needs its token.', { hint: HINT });
  const path = tokenPath(homePath(home, env));
  return readNamed(path, () => readToken(path));
}

function readNamed(path: string, read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const sentence = gone ? `There is no token in ${path}.` : `The token in ${path} could not be read.`;
    throw new Failure('usage', sentence, { hint: HINT, cause: error });
  }
}

const HINT = 'Set COPPICE_TOKEN, or COPPICE_TOKEN_FILE to the file that is named when the daemon starts: coppice serve';

/** A token never leaves this machine unless a person says so. */
function isHere(url: string): boolean {
  return url.startsWith('unix:') || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
