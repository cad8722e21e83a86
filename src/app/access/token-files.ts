import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER, type Scope } from '../../core/access.ts';
import { Failure } from '../../core/failure.ts';
import type { EpochMs } from '../../core/time.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { makePrivateDir, syncDir } from '../../platform/files/private-files.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { writeBelow } from '../../platform/files/write-below.ts';
import { parseToken, type TokenRecord, tokenHash, tokenText } from './token-record.ts';

// Each token has a file of its own, named by its hash. So nobody needs a lock to make or revoke one, a request finds its token with
// one look, and what is damaged or taken away is one token and not all of them.

const TOKEN_BYTES = 32;
/** Nobody has so many on purpose. */
const MOST_TOKENS = 1000;
const NAME = /^[\w.-]{1,64}$/;
const FILE = /^([0-9a-f]{64})\.json$/;

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: EpochMs;
  readonly now: EpochMs;
}

/** Makes a token. It is on the disk, as a hash, when it is returned, and is told only here. */
export function createToken(
  homePath: string,
  { name, scopes, expiresAt, now }: NewToken,
): { readonly token: string; readonly record: TokenRecord } {
  if (!NAME.test(name) || name === OWNER.name) throw badName(name);
  const { tokens } = listTokens(homePath);
  if (tokens.some((other) => other.name === name)) throw taken(name);
  if (tokens.length >= MOST_TOKENS) throw tooMany();
  const token = `coppice_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const record = {
    name,
    hash: tokenHash(token),
    scopes,
    createdAt: now,
    ...(expiresAt !== undefined && { expiresAt }),
  };
  makePrivateDir(homePath);
  writeBelow(homePath, tokenFile(homePath, record.hash), tokenText(record));
  syncDir(homePath);
  return { token, record };
}

export interface TokenList {
  /** By name. */
  readonly tokens: readonly TokenRecord[];
  /** Files that hold none. Nobody gets in with them. */
  readonly unreadable: readonly string[];
}

export function listTokens(homePath: string): TokenList {
  const tokens: TokenRecord[] = [];
  const unreadable: string[] = [];
  for (const name of namesIn(folderOf(homePath))) {
    const [, hash] = FILE.exec(name) ?? [];
    if (hash === undefined) continue;
    const record = readTokenFile(homePath, hash);
    if (record === undefined) unreadable.push(tokenFile(homePath, hash));
    else tokens.push(record);
  }
  return { tokens: tokens.toSorted((a, b) => (a.name < b.name ? -1 : 1)), unreadable };
}

/** Takes a token back. From the next request on nobody gets in with it, whether a daemon runs or not. */
export function revokeToken(homePath: string, name: string): TokenRecord {
  if (name === OWNER.name) throw ownersToken();
  const found = listTokens(homePath).tokens.filter((token) => token.name === name);
  const [first] = found;
  if (first === undefined) throw noSuchToken(name);
  removeBelow(
    homePath,
    found.map(({ hash }) => tokenFile(homePath, hash)),
  );
  syncDir(folderOf(homePath));
  return first;
}

/** The token with this hash; undefined where there is none, or the file holds something else. */
export function readTokenFile(homePath: string, hash: string): TokenRecord | undefined {
  try {
    const record = parseToken(readRegular(tokenFile(homePath, hash)).toString());
    return record?.hash === hash ? record : undefined;
  } catch (error) {
    // Gone in between, or not to be read: either way nobody gets in with it.
    if (errorCode(error) === undefined && !(error instanceof Failure)) throw error;
    return undefined;
  }
}

export function tokenFile(homePath: string, hash: string): string {
  return join(folderOf(homePath), `${hash}.json`);
}

function folderOf(homePath: string): string {
  return nativeLayout(homePath).tokens;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function badName(name: string): Failure {
  if (name === OWNER.name) return ownersToken();
  return new Failure('usage', `'${name}' cannot be the name of a token.`, {
    hint: 'Use letters, digits, dots, - and _, at most 64 of them. For example: coppice token create ci --scope read',
  });
}

function ownersToken(): Failure {
  return new Failure('usage', `'${OWNER.name}' is the token that coppice serve makes itself.`, {
    hint: 'Choose another name. To change that one, remove the file named token in the home and start coppice serve again.',
  });
}

function taken(name: string): Failure {
  return new Failure('refused', `There is a token named ${name} already.`, {
    hint: `Choose another name, or take that one back first with: coppice token revoke ${name}`,
  });
}

function tooMany(): Failure {
  return new Failure('refused', `There are ${MOST_TOKENS} tokens already.`, {
    hint: 'Take back what nobody uses. See which there are with: coppice token list',
  });
}

function noSuchToken(name: string): Failure {
  return new Failure('not-found', `There is no token named ${name}.`, {
    hint: 'See which there are with: coppice token list',
  });
}
