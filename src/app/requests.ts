import type { KeptRequest, Once } from '../core/gateway/once.ts';
import { DAY_MS } from '../core/time.ts';
import type { CountedRequests } from './gateway/gateway.ts';
import type { HomeParts } from './home-parts.ts';

/** Whoever lost an answer asks again within seconds; who comes after a day means something else. */
const KEPT_MS = DAY_MS;

/**
 * Requests that bore a key: `home.requests`. What changes sessions is noted in `state.db`, what is only counted in `live.db`, each in
 * the transaction of its effect.
 */
export class Requests {
  readonly #parts: Pick<HomeParts, 'store' | 'clock'>;
  readonly #counted: CountedRequests;

  constructor(parts: Pick<HomeParts, 'store' | 'clock'>, counted: CountedRequests) {
    this.#parts = parts;
    this.#counted = counted;
  }

  /** What is known of a request, wherever its effect was. */
  async find(key: string): Promise<KeptRequest | undefined> {
    return (await this.#parts.store.requests.find(key)) ?? (await this.#counted.find(key));
  }

  /** Says that work begins which must not be done twice. */
  begin(once: Once): Promise<void> {
    return this.#parts.store.requests.begin(once);
  }

  /** Keeps what it gave. */
  answer(once: Once, result: string): Promise<void> {
    return this.#parts.store.requests.answer(once, result);
  }

  /** For one that came to nothing. */
  forget(key: string): Promise<void> {
    return this.#parts.store.requests.forget(key);
  }

  /** Forgets those that nobody asks for again. */
  async dropOld(): Promise<void> {
    const before = this.#parts.clock.now() - KEPT_MS;
    await this.#parts.store.requests.dropBefore(before);
    await this.#counted.dropBefore(before);
  }
}
