import { hash } from 'node:crypto';
import type { Bearer } from '../../core/access.ts';
import { SCOPES } from '../../core/access.ts';
import { isJsonObject } from '../../core/json.ts';
import type { EpochMs } from '../../core/time.ts';

/** A token as it is kept: everything but the token itself, of which there is only a hash. */
export interface TokenRecord extends Bearer {
  /** SHA-256 of the token, in hexadecimal. A token is 32 random bytes, so nothing slower is needed. */
  readonly hash: string;
  readonly createdAt: EpochMs;
}

/** What a token looks like, so that people and programs that look for secrets know one when they see it. */
export const TOKEN_SHAPE = /^coppice_[\w-]{43}$/;

export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

const VERSION = 1;

export function tokenText({ name, hash: sum, scopes, createdAt, expiresAt }: TokenRecord): string {
  const times = { createdAt, ...(expiresAt !== undefined && { expiresAt }) };
  return `${JSON.stringify({ schemaVersion: VERSION, name, hash: sum, scopes, ...times })}\n`;
}

/** The record in a file; undefined for whatever is none, or is of a version that is not known here. */
export function parseToken(text: string): TokenRecord | undefined {
  const found = parse(text);
  if (!isJsonObject(found) || found['schemaVersion'] !== VERSION) return undefined;
  const { name, hash: sum, scopes, createdAt, expiresAt } = found;
  if (typeof name !== 'string' || typeof sum !== 'string' || typeof createdAt !== 'number') return undefined;
  // One that should end some day must not become one that never does.
  if (expiresAt !== undefined && typeof expiresAt !== 'number') return undefined;
  const known = SCOPES.filter((scope) => Array.isArray(scopes) && scopes.includes(scope));
  return { name, hash: sum, scopes: known, createdAt, ...(expiresAt !== undefined && { expiresAt }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not one of ours, or cut off.
    return undefined;
  }
}
