import { isIP } from 'node:net';
import type { Holder } from '../../app/access/find-bearer.ts';
import type { PageHeaders, SignedIn } from '../page/sign-ins.ts';
import { refuse } from '../refusal.ts';

/** What is looked at before anything else of a request. */
export interface RequestHeaders extends PageHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly authorization?: string | undefined;
}

/** Whoever may go on, or why nobody may. */
export type Admitted = SignedIn;

export interface Admission {
  /** Who has this token; undefined when it is not a good one. */
  readonly find: (shown: string) => Holder | undefined;
  /** Who is signed in with the cookie of a request that shows no token; undefined when it bears none. */
  readonly findSignedIn?: (headers: PageHeaders) => SignedIn | undefined;
  /** The name or address that was bound, when it is not a loopback one. */
  readonly host?: string;
  /** Names in the certificate of a server with TLS: no page of another site can have one for them. */
  readonly isFor?: (name: string) => boolean;
  /** On a Unix socket the file decides who may come; names mean nothing there. */
  readonly anyHost?: boolean;
}

/**
 * Decides whether a request may go on: called by a name of this machine (a page of another site that resolves its own name to
 * this address is not), not sent by a page of another site, and with a token that is good.
 */
export function createAdmission({ find, findSignedIn, host, isFor = () => false, anyHost = false }: Admission) {
  const isPublic = host !== undefined && !isLoopback(host);
  /** Nearly all requests bear the same name, so the last good one is remembered. */
  let knownHost: string | undefined;

  const known = (name: string) =>
    isLoopback(name) || name === host?.toLowerCase() || (isPublic && isIP(name) !== 0) || isFor(name);
  return (headers: RequestHeaders): Admitted => {
    if (!anyHost && headers.host !== knownHost) {
      if (!known(nameOf(headers.host ?? ''))) return { refused: WRONG_HOST };
      knownHost = headers.host;
    }
    if (headers.origin !== undefined && headers.origin.replace(/^https?:\/\//, '') !== headers.host)
      return { refused: WRONG_ORIGIN };
    const signedIn = headers.authorization === undefined ? findSignedIn?.(headers) : undefined;
    if (signedIn !== undefined) return signedIn;
    const [, shown = ''] = BEARER.exec(headers.authorization ?? '') ?? [];
    const holder = find(shown);
    return holder === undefined ? { refused: NO_TOKEN } : { holder };
  };
}

/** The name of a scheme may be written in any case. */
const BEARER = /^bearer +(\S+)$/i;

/** Whether only this machine can reach the name. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** The name in a Host header, without its port and the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const [, inBrackets, plain] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (inBrackets ?? plain ?? '').toLowerCase();
}

const WRONG_HOST = refuse(
  'forbidden',
  'The Host header does not name this machine.',
  'Use the address that coppice serve printed, or a name in its certificate. A proxy must send that name too.',
);
const WRONG_ORIGIN = refuse(
  'forbidden',
  'Requests from pages of other sites are not answered.',
  'Call the API from a program, or through a proxy of your own.',
);
const NO_TOKEN = refuse(
  'unauthorised',
  'A token is needed that was not revoked and has not expired.',
  'Send the header Authorization: Bearer TOKEN. coppice serve printed in which file the token is; coppice token create makes others.',
);
