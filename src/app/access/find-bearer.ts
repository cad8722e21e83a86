import { timingSafeEqual } from 'node:crypto';
import { type Bearer, OWNER } from '../../core/access.ts';
import type { Clock } from '../../core/time.ts';
import { fileMark } from './file-mark.ts';
import { readTokenFile, tokenFile } from './token-files.ts';
import { TOKEN_SHAPE, type TokenRecord, tokenHash } from './token-record.ts';

/** Somebody with a token that is good, for as long as it is. */
export interface Holder {
  readonly bearer: Bearer;
  /** SHA-256 of the token. */
  readonly hash: string;
  /** Whether it still is: not revoked and not expired. */
  readonly isGood: () => boolean;
}

export interface BearerParts {
  readonly homePath: string;
  /** The owner's token. */
  readonly token: string;
  readonly clock: Clock;
}

export interface BearerFinder {
  /** Who shows this token; undefined when it is not a good one. */
  readonly find: (shown: string) => Holder | undefined;
  /** The same of one that was shown before, by its hash. */
  readonly findAgain: (hash: string) => Holder | undefined;
}

/**
 * Says who has a token. Its file is looked at each time, so that one that was revoked is refused at the next request; it is read
 * again only when it is another file. Nothing is kept of those that are not good.
 */
export function createBearerFinder({ homePath, token, clock }: BearerParts): BearerFinder {
  const owner: Holder = { bearer: OWNER, hash: tokenHash(token), isGood: () => true };
  const isOwners = comparedWith(token);
  const known = new Map<string, Seen>();
  const look = (hash: string): TokenRecord | undefined => {
    const mark = fileMark(tokenFile(homePath, hash));
    const before = known.get(hash);
    if (mark !== undefined && before?.mark === mark) return before.record;
    const record = mark === undefined ? undefined : readTokenFile(homePath, hash);
    if (mark === undefined || record === undefined) known.delete(hash);
    else known.set(hash, { mark, record });
    return record;
  };
  const good = (hash: string): TokenRecord | undefined => {
    const record = look(hash);
    const { expiresAt = Number.POSITIVE_INFINITY } = record ?? {};
    return expiresAt > clock.now() ? record : undefined;
  };
  const findGiven = (hash: string): Holder | undefined => {
    const bearer = good(hash);
    return bearer && same(bearer.hash, hash) ? { bearer, hash, isGood: () => good(hash) !== undefined } : undefined;
  };
  return {
    find(shown) {
      if (isOwners(shown)) return owner;
      return TOKEN_SHAPE.test(shown) ? findGiven(tokenHash(shown)) : undefined;
    },
    findAgain: (hash) => (same(hash, owner.hash) ? owner : findGiven(hash)),
  };
}

interface Seen {
  readonly mark: string;
  readonly record: TokenRecord;
}

function comparedWith(token: string): (shown: string) => boolean {
  const expected = Buffer.from(token);
  const given = Buffer.alloc(expected.length);
  return (shown) => {
    // How long a token is, is no secret.
    if (shown.length !== expected.length) return false;
    // Headers come as latin1: one byte for each character, so nothing of the last one is left.
    given.write(shown, 'latin1');
    return timingSafeEqual(given, expected);
  };
}

function same(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
