import type { BearerFinder, Holder } from '../../app/access/find-bearer.ts';
import type { PageKey } from '../../app/access/page-key.ts';
import type { Clock } from '../../core/time.ts';
import { type ErrorAnswer, refuse } from '../refusal.ts';
import {
  cookieText,
  endedCookie,
  isSame,
  newClaims,
  type PageClaims,
  proofOf,
  readCookie,
  renewed,
} from './page-cookie.ts';
import { type SignInLink, SignInLinks } from './sign-in-links.ts';

export interface SignInParts {
  readonly key: PageKey;
  readonly bearers: Pick<BearerFinder, 'findAgain'>;
  readonly clock: Clock;
  /** Whether the daemon speaks TLS. */
  readonly secure: boolean;
}

/** What a request says of the page it comes from. */
export interface PageHeaders {
  readonly cookie?: string | undefined;
  readonly 'x-coppice-proof'?: string | string[] | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

export type SignedIn = { readonly holder: Holder; readonly setCookie?: string } | { readonly refused: ErrorAnswer };

/**
 * Browsers that are signed in. What a cookie may do is what the token may do by which its link was made, for as long as that token is
 * good. A cookie alone opens nothing: browsers send it to every port of this machine, so whoever listens on another one may have it.
 * Each request also bears a proof that only our own page was given.
 */
export class SignIns {
  readonly #parts: SignInParts;
  readonly #links: SignInLinks;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#links = new SignInLinks(parts.clock);
  }

  makeLink(holder: Holder): SignInLink {
    return this.#links.make(holder.hash);
  }

  /** The cookie and the proof for whoever opened a link; undefined when it is not good, or was used. */
  redeem(code: string): { readonly cookie: string; readonly proof: string } | undefined {
    const { key: keys, bearers, clock } = this.#parts;
    const holderHash = this.#links.redeem(code);
    if (holderHash === undefined || bearers.findAgain(holderHash) === undefined) return undefined;
    const key = keys.make();
    const claims = newClaims(holderHash, clock.now());
    return { cookie: this.#cookie(key, claims), proof: proofOf(key, claims) };
  }

  /** Who sends a request without a token, by its cookie; undefined when it bears none of ours. */
  find(headers: PageHeaders): SignedIn | undefined {
    const { key: keys, bearers, clock } = this.#parts;
    const key = headers.cookie === undefined ? undefined : keys.current();
    const claims = key && readCookie(key, headers.cookie ?? '');
    if (key === undefined || claims === undefined) return undefined;
    if (!isOwnPage(headers)) return { refused: OTHER_PAGE };
    const { 'x-coppice-proof': proof } = headers;
    if (typeof proof !== 'string' || !isSame(proof, proofOf(key, claims))) return { refused: NO_PROOF };
    const now = clock.now();
    const holder = claims.expiresAt > now ? bearers.findAgain(claims.holderHash) : undefined;
    if (holder === undefined) return { refused: SIGNED_OUT };
    const longer = renewed(claims, now);
    return longer === undefined ? { holder } : { holder, setCookie: this.#cookie(key, longer) };
  }

  /** Makes a browser forget its cookie; undefined where nobody can be signed in. */
  forgetting(): string | undefined {
    const key = this.#parts.key.current();
    return key && endedCookie(key);
  }

  #cookie(key: Buffer, claims: PageClaims): string {
    const { clock, secure } = this.#parts;
    return cookieText(key, claims, { now: clock.now(), secure });
  }
}

/** Browsers say where a request comes from; another port of this machine is another page. */
function isOwnPage({ 'sec-fetch-site': site }: PageHeaders): boolean {
  return site === undefined || site === 'same-origin';
}

const AGAIN = 'Sign in again with: coppice open';
const SIGNED_OUT = refuse('unauthorised', 'This browser is not signed in any more.', AGAIN);
const NO_PROOF = refuse('forbidden', 'This request does not come from the page that was signed in.', AGAIN);
const OTHER_PAGE = refuse('forbidden', 'Requests from pages of other sites are not answered.', AGAIN);
