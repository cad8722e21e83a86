import { randomBytes } from 'node:crypto';
import { tokenHash } from '../../app/access/token-record.ts';
import { type Clock, type EpochMs, MINUTE_MS } from '../../core/time.ts';

const CODE_BYTES = 32;
const GOOD_FOR_MS = MINUTE_MS;
/** Nobody opens so many at once: the oldest makes room. */
const MOST_LINKS = 100;

export interface SignInLink {
  readonly code: string;
  readonly expiresAt: EpochMs;
}

/**
 * Links that sign a browser in, each once and for a minute. They are kept as hashes in the memory of the daemon alone: one that was
 * started again knows none.
 */
export class SignInLinks {
  readonly #clock: Clock;
  readonly #links = new Map<string, { readonly holderHash: string; readonly madeAt: EpochMs }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A link for whoever has the token with this hash. */
  make(holderHash: string): SignInLink {
    const [oldest] = this.#links.keys();
    if (this.#links.size >= MOST_LINKS && oldest !== undefined) this.#links.delete(oldest);
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const madeAt = this.#clock.now();
    this.#links.set(tokenHash(code), { holderHash, madeAt });
    return { code, expiresAt: madeAt + GOOD_FOR_MS };
  }

  /** Whose link it is. It is used up by asking. */
  redeem(code: string): string | undefined {
    const key = tokenHash(code);
    const link = this.#links.get(key);
    this.#links.delete(key);
    if (link === undefined) return undefined;
    const age = this.#clock.now() - link.madeAt;
    // A clock that was set back makes no link good for longer.
    return age >= 0 && age < GOOD_FOR_MS ? link.holderHash : undefined;
  }
}
