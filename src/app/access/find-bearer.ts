import { timingSafeEqual } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { type Bearer, OWNER } from '../../core/access.ts';
import type { Clock } from '../../core/time.ts';
import { readTokenFile, tokenFile } from './token-files.ts';
import { TOKEN_SHAPE, type TokenRecord, tokenHash } from './token-record.ts';

/** Somebody with a token that is good, for as long as it is. */
export interface Holder {
  readonly bearer: Bearer;
  /** Whether it still is: not revoked and not expired. */
  readonly isGood: () => boolean;
}

export interface BearerParts {
  readonly homePath: string;
  /** The owner's token. */
  readonly token: string;
  readonly clock: Clock;
}

/**
 * Says who has a token. Its file is looked at each time, so that one that was revoked is refused at the next request; it is read
 * again only when it is another file. Nothing is kept of those that are not good.
 */
export function createBearerFinder({ homePath, token, clock }: BearerParts): (shown: string) => Holder | undefined {
  const isOwners = comparedWith(token);
  const known = new Map<string, Seen>();
  const look = (hash: string): TokenRecord | undefined => {
    const mark = markOf(tokenFile(homePath, hash));
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
  return (shown) => {
    if (isOwners(shown)) return OWNER_HOLDER;
    if (!TOKEN_SHAPE.test(shown)) return undefined;
    const hash = tokenHash(shown);
    const bearer = good(hash);
    return bearer && same(bearer.hash, hash) ? { bearer, isGood: () => good(hash) !== undefined } : undefined;
  };
}

interface Seen {
  readonly mark: string;
  readonly record: TokenRecord;
}

const OWNER_HOLDER: Holder = { bearer: OWNER, isGood: () => true };

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

/** The same as long as nobody writes or replaces the file; undefined where there is none. Others could have written to an open one. */
function markOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (found?.isFile() !== true || (process.platform !== 'win32' && (found.mode & 0o022n) !== 0n)) return undefined;
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}
