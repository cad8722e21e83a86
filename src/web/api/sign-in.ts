import { SIGN_IN_FRAGMENT } from '../../core/page-paths.ts';
import { ApiFailure, asFailure } from './api-failure.ts';
import { call, send } from './call.ts';
import { signedIn } from './connection.ts';
import { dropProof, keepProof } from './proof.ts';

/**
 * Signs in with the link that this page was opened by, if it was by one; otherwise asks whether the browser is signed in already.
 * The code is out of the address before anything else is done. Returns why a link was not good.
 */
export async function signInFirst(): Promise<ApiFailure | undefined> {
  const fragment = location.hash.slice(1);
  try {
    if (fragment.startsWith(SIGN_IN_FRAGMENT)) {
      history.replaceState(null, '', `${location.pathname}${location.search}`);
      await redeem(fragment.slice(SIGN_IN_FRAGMENT.length));
    }
    await call('GET /api/home', {});
    return undefined;
  } catch (error) {
    return asFailure(error);
  }
}

async function redeem(code: string): Promise<void> {
  const response = await send('/api/sign-in', { method: 'POST', headers: { 'x-coppice-link': code } });
  const document = (await response.json()) as {
    readonly proof?: string;
    readonly error?: { code: string; message: string };
  };
  if (document.proof === undefined) {
    // Whoever is signed in already goes on.
    signedIn.value = undefined;
    throw new ApiFailure(document.error ?? { code: 'failed', message: 'This link is not good.' });
  }
  keepProof(document.proof);
}

/** Ends it in this browser. */
export async function signOut(): Promise<void> {
  await call('POST /api/sign-out', {});
  dropProof();
  signedIn.value = false;
}
