import { hash } from 'node:crypto';

/** Well below the 255 bytes that file systems commonly allow, so that there is room for a suffix. */
const MAX_NAME_LENGTH = 140;

/** Names that Windows keeps for devices, whatever the directory. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * The directory name of a session: a different one for every well-formed id, on every file system.
 * Only `a-z 0-9 _ -` stand for themselves. Capitals are escaped because some file systems ignore case.
 */
export function sessionDirName(id: string): string {
  const name = id.replace(/[^a-z0-9_-]/gu, percentBytes);
  if (name.length > MAX_NAME_LENGTH) return `~${sha256(id)}`;
  // A lone % is the escape of nothing, so no other id can have it.
  if (name === '') return '%';
  return RESERVED.test(name) ? percentBytes(name.slice(0, 1)) + name.slice(1) : name;
}

/** The id whose directory has this name; undefined where the name does not say it, or is no such name. */
export function sessionIdOf(name: string): string | undefined {
  const bytes =
    name === '%'
      ? ''
      : name.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const id = Buffer.from(bytes, 'latin1').toString();
  return sessionDirName(id) === name ? id : undefined;
}

/** The directory above it: two hex digits that spread sessions evenly over 256 directories. */
export function sessionShard(id: string): string {
  return sha256(id).slice(0, 2);
}

function percentBytes(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '%$&');
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
