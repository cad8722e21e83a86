import { readFileSync } from 'node:fs';
import type { RemoteApp } from '../../app/app.ts';
import { homePath } from '../../app/home-path.ts';
import { createClient } from '../../client/client.ts';
import { Failure } from '../../core/failure.ts';
import { readToken, tokenPath } from '../../daemon/token.ts';
import { openRemoteHome } from './remote-home.ts';

export interface RemotePlace {
  readonly url: string;
  readonly home?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asks the daemon at this address for its home. */
export async function connectRemote(place: RemotePlace): Promise<RemoteApp> {
  return openRemoteHome(createClient({ url: place.url, token: findToken(place) }));
}

/** `COPPICE_TOKEN`, the file named by `COPPICE_TOKEN_FILE`, or that of the home on this machine: for this machine only. */
function findToken({ url, home, env }: RemotePlace): string {
  const { COPPICE_TOKEN: token, COPPICE_TOKEN_FILE: file } = env;
  if (token !== undefined) return token.trim();
  try {
    if (file !== undefined) return readFileSync(file, 'utf8').trim();
    if (isHere(url)) return readToken(tokenPath(homePath(home, env)));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'usage',
      `The token could not be read: ${error instanceof Error ? error.message : String(error)}.`,
      {
        hint: HINT,
        cause: error,
      },
    );
  }
  throw new Failure('usage', 'A daemon on another machine needs its token.', { hint: HINT });
}

const HINT = 'Set COPPICE_TOKEN, or COPPICE_TOKEN_FILE to the file that coppice serve named.';

/** A token never leaves this machine unless a person says so. */
function isHere(url: string): boolean {
  if (url.startsWith('unix:')) return true;
  return URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
