import type { EpochMs } from '../time.ts';

/** What a change is asked for under, so that whoever lost the answer can ask again and have it once. */
export interface Once {
  /** Whose request of which kind it is, and what its sender calls it. */
  readonly key: string;
  /** Of what was asked for: another request under the same key is a mistake. */
  readonly print: string;
  /** Something of it was done before. */
  readonly isKnown: boolean;
}

/**
 * How far a request came. `noted` stands in the transaction of its effect, with what that gave. `begun` is written before work that
 * is no single transaction, and `answered` after it.
 */
export type RequestState = 'noted' | 'begun' | 'answered';

export interface KeptRequest {
  readonly print: string;
  readonly state: RequestState;
  /** JSON. */
  readonly result: string;
}

/** Requests that bore a key, the newest of them and for a while. */
export interface RequestBook {
  find(key: string): Promise<KeptRequest | undefined>;
  /** Says that work begins which must not be done twice. */
  begin(once: Once): Promise<void>;
  /** Keeps what it gave, durable when the promise resolves. */
  answer(once: Once, result: string): Promise<void>;
  /** For one that came to nothing. */
  forget(key: string): Promise<void>;
  /** Forgets those of earlier. */
  dropBefore(at: EpochMs): Promise<void>;
}
