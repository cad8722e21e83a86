export interface FirstSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted with the first of others, until it is let go of. Not `AbortSignal.any`: in Node 20 that leaves
 * something behind on every other signal for as long as that one lives, and forgets a time limit that nobody else holds.
 */
export function firstSignal(...others: readonly (AbortSignal | undefined)[]): FirstSignal {
  const first = new AbortController();
  const forget = others.map((other) => passOn(other, first));
  return { signal: first.signal, [Symbol.dispose]: () => forget.forEach((forgetOne) => forgetOne()) };
}

function passOn(other: AbortSignal | undefined, first: AbortController): () => void {
  const pass = () => first.abort(other?.reason);
  if (other?.aborted === true) pass();
  other?.addEventListener('abort', pass);
  return () => other?.removeEventListener('abort', pass);
}
