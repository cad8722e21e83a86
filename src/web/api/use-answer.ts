import { useEffect, useState } from 'preact/hooks';
import type { Answer, Given, Operation } from '../../client/api.ts';
import { type ApiFailure, asFailure } from './api-failure.ts';
import { call } from './call.ts';

export type Asked<T> =
  | { readonly state: 'loading'; readonly done: number | undefined }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly failure: ApiFailure };

export interface Answering<O extends Operation> {
  readonly asked: Asked<Answer<O>>;
  /** Asks once more; what is shown stays until the answer is there. */
  readonly again: () => void;
}

/** What an operation answers, asked anew when what is asked for is another thing. */
export function useAnswer<O extends Operation>(operation: O, given: Given<O>): Answering<O> {
  const [asked, setAsked] = useState<Asked<Answer<O>>>({ state: 'loading', done: undefined });
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([operation, given]);
  useEffect(() => {
    const stop = new AbortController();
    const onStep = (step: unknown) => {
      const { done } = step as { readonly done?: number };
      setAsked((before) => (before.state === 'loading' ? { state: 'loading', done } : before));
    };
    call(operation, { ...given, signal: stop.signal, onStep })
      .then((value) => setAsked({ state: 'ready', value }))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setAsked({ state: 'failed', failure: asFailure(error) });
      });
    return () => stop.abort();
  }, [key, turn]);
  return { asked, again: () => setTurn(turn + 1) };
}
