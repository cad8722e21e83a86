import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../../core/json.ts';
import { DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts';

/** A browser that is not used for so long is signed out. */
export const IDLE_MS = 7 * DAY_MS;
/** However much it is used, it signs in anew after this. */
export const LONGEST_MS = 30 * DAY_MS;

/** What a cookie says: who signed in, and how long that holds. */
export interface PageClaims {
  /** The hash of the token that made the link. */
  readonly holderHash: string;
  /** Which sign-in it is; the same in every cookie that renews it. */
  readonly id: string;
  readonly signedInAt: EpochMs;
  readonly expiresAt: EpochMs;
}

export function newClaims(holderHash: string, now: EpochMs): PageClaims {
  return { holderHash, id: randomBytes(16).toString('base64url'), signedInAt: now, expiresAt: now + IDLE_MS };
}

/** The same for longer, once half of its time is over; undefined before that, and when there is no more to give. */
export function renewed(claims: PageClaims, now: EpochMs): PageClaims | undefined {
  const expiresAt = Math.min(now + IDLE_MS, claims.signedInAt + LONGEST_MS);
  const isWorthIt = claims.expiresAt - now < IDLE_MS / 2 && expiresAt > claims.expiresAt;
  return isWorthIt ? { ...claims, expiresAt } : undefined;
}

/**
 * The name of the cookie. A browser sends cookies of this machine to every port of it, so two daemons must not call theirs the same;
 * and one of a key that is gone is not even looked at.
 */
export function cookieName(key: Buffer): string {
  return `coppice_${hash('sha256', key, 'hex').slice(0, 12)}`;
}

/** The value of a `Set-Cookie` header. */
export function cookieText(
  key: Buffer,
  claims: PageClaims,
  { now, secure }: { now: EpochMs; secure: boolean },
): string {
  const { holderHash, id, signedInAt, expiresAt } = claims;
  const body = Buffer.from(JSON.stringify([1, holderHash, id, signedInAt, expiresAt])).toString('base64url');
  const seconds = Math.max(0, Math.floor((expiresAt - now) / SECOND_MS));
  const parts = [`${cookieName(key)}=${body}.${signed(key, `cookie:${body}`)}`, 'Path=/api', 'HttpOnly'];
  return [...parts, 'SameSite=Strict', `Max-Age=${seconds}`, ...(secure ? ['Secure'] : [])].join('; ');
}

/** Makes a browser forget its cookie. */
export function endedCookie(key: Buffer): string {
  return `${cookieName(key)}=; Path=/api; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** What the cookie of this key says among others; undefined where there is none that we have signed. Whether its time is over is not judged. */
export function readCookie(key: Buffer, header: string): PageClaims | undefined {
  const name = `${cookieName(key)}=`;
  const given = header.split(';').find((part) => part.trimStart().startsWith(name));
  const [body = '', mark = ''] = given?.trim().slice(name.length).split('.') ?? [];
  if (!isSame(mark, signed(key, `cookie:${body}`))) return undefined;
  return claimsOf(Buffer.from(body, 'base64url').toString());
}

/** What every request of a signed-in page bears beside its cookie. */
export function proofOf(key: Buffer, { id }: PageClaims): string {
  return signed(key, `proof:${id}`);
}

export function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function signed(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Signed by us, so it is what we wrote; of another version it is nothing. */
function claimsOf(text: string): PageClaims | undefined {
  const found: unknown = JSON.parse(text);
  if (isJsonObject(found) || !Array.isArray(found) || found[0] !== 1) return undefined;
  const [, holderHash, id, signedInAt, expiresAt] = found as [number, string, string, number, number];
  return { holderHash, id, signedInAt, expiresAt };
}
