import { PAGE_PATHS, SIGN_IN_FRAGMENT } from '../../core/page-paths.ts';
import { Failure } from '../../core/failure.ts';
import { isoTime } from '../../core/time.ts';
import { jsonRoute } from '../route.ts';
import { signedInSchema, signedOutSchema, signInLinkSchema } from '../schemas/sign-in-schemas.ts';

/** Whoever guesses at codes is slowed down like whoever guesses at tokens. */
const DEAR = 1000;

/** How a browser gets in: whoever has a token makes a link, and the page that opens it is signed in with what that token allows. */
export const signInRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/api/sign-in-links',
    scope: 'any',
    summary:
      'Make a link that signs a browser in, once and within a minute, with what the token of this request allows. `path` belongs behind the address of the daemon.',
    answer: signInLinkSchema,
    repeat: 'never',
    handle: ({ parts: { signIns }, visit: { holder } }) => {
      if (holder === undefined) throw new Failure('refused', 'Nobody can be named for this request.');
      const { code, expiresAt } = signIns.makeLink(holder);
      return { path: `${PAGE_PATHS[0]}#${SIGN_IN_FRAGMENT}${code}`, expiresAt: isoTime(expiresAt) };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sign-in',
    scope: 'none',
    summary:
      'What the page does with the code of such a link, which it sends in the header X-Coppice-Link: the browser gets a cookie, and the page a proof that each of its requests bears in the header X-Coppice-Proof.',
    cost: DEAR,
    answer: signedInSchema,
    repeat: 'never',
    handle: ({ parts: { signIns }, visit }) => {
      const signedIn = signIns.redeem(visit.header('x-coppice-link'));
      if (signedIn === undefined) {
        throw new Failure('refused', 'This link was used already, or is older than a minute.', {
          hint: 'Make a new one with: coppice open',
        });
      }
      visit.setCookie(signedIn.cookie);
      return { proof: signedIn.proof };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sign-out',
    scope: 'any',
    summary: 'Make this browser forget its cookie. coppice serve --sign-out ends those of all browsers.',
    answer: signedOutSchema,
    repeat: 'never',
    handle: ({ parts: { signIns }, visit }) => {
      const cookie = signIns.forgetting();
      if (cookie !== undefined) visit.setCookie(cookie);
      return { signedOut: true as const };
    },
  }),
] as const;
