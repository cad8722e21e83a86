import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOwnFile, writeOwnFile } from '../app/doctor/open-own-file.ts';
import { Failure } from '../core/failure.ts';
import { shellWord } from '../core/shell-word.ts';

const TOKEN_BYTES = 32;

/** Where the token of a home is. */
export function tokenPath(homePath: string): string {
  return join(homePath, 'token');
}

/**
 * The token that every client must send. Made on first use, for its owner's eyes only; one that others could have read is
 * refused. The caller holds the lock of the daemon.
 */
export function readOrMakeToken(homePath: string): string {
  const path = tokenPath(homePath);
  try {
    return readToken(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    makeToken(path);
    return readToken(path);
  }
}

/** The token in a file. A file that is not there is the system's own error. */
export function readToken(path: string): string {
  const fd = openOwnFile(path);
  try {
    const { mode } = fstatSync(fd);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw readable(path);
    const token = readFileSync(fd, 'utf8').trim();
    if (/^[\w-]{43}$/.test(token)) return token;
    throw new Failure('refused', `${path} does not hold a token.`, { hint: newOne(path) });
  } finally {
    closeSync(fd);
  }
}

/** In one step, under a name that bears its owner until then: whoever changes the home next removes what a death leaves. */
function makeToken(path: string): void {
  writeOwnFile(path, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`);
}

function readable(path: string): Failure {
  return new Failure('refused', `Others can read ${path}, so the token in it is no secret any more.`, {
    hint: newOne(path),
  });
}

function newOne(path: string): string {
  return `Remove it with: rm ${shellWord(path)} and start again: a new one is made.`;
}
