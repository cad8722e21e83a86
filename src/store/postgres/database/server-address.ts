import { statSync, readFileSync } from 'node:fs';
import { Failure } from '../../../core/failure.ts';

/** Where a home is on a server, as `postgres://user@host:port/database?space=team-a` says it. */
export interface ServerAddress {
  /** For the driver. */
  readonly url: string;
  /** The home in the database. */
  readonly space: string;
  /** The same for people, without what is secret. */
  readonly where: string;
  /** Statements are given names, which saves the server work; not through every pooler. */
  readonly named: boolean;
  readonly waitMs: number;
}

const DEFAULT_SPACE = 'default';
const DEFAULT_WAIT_MS = 10_000;
/** Longest accepted, as of an id. */
const MAX_SPACE_BYTES = 128;

/** What is ours in the query of an address; everything else is for the driver, TLS with it. */
const OURS = ['space', 'wait', 'password-file', 'names'] as const;

/** Reads an address. A password stands in `PGPASSWORD`, or in a file that only its owner can read. */
export function readServerAddress(address: string): ServerAddress {
  const url = parsed(address);
  const given = Object.fromEntries(OURS.map((name) => [name, url.searchParams.get(name) ?? undefined]));
  for (const name of OURS) url.searchParams.delete(name);
  const space = given['space'] ?? DEFAULT_SPACE;
  if (space === '' || Buffer.byteLength(space) > MAX_SPACE_BYTES || /\p{Cc}/u.test(space)) {
    throw wrong('space must be a short name, such as team-a.');
  }
  const file = given['password-file'];
  if (file !== undefined) url.password = encodeURIComponent(secretIn(file));
  const where = `${url.host}${url.pathname}${space === DEFAULT_SPACE ? '' : ` (${space})`}`;
  return { url: url.href, space, where, named: given['names'] === 'yes', waitMs: waitOf(given['wait']) };
}

function parsed(address: string): URL {
  try {
    const url = new URL(address);
    if (['postgres:', 'postgresql:'].includes(url.protocol)) return url;
  } catch {
    // The sentence below says what it should be.
  }
  throw wrong('It should look like postgres://user@host:5432/database');
}

function waitOf(seconds: string | undefined): number {
  if (seconds === undefined) return DEFAULT_WAIT_MS;
  const value = Number(seconds);
  if (!/^\d+$/.test(seconds) || value > 3600) throw wrong('wait is a whole number of seconds, at most 3600.');
  return value * 1000;
}

function secretIn(path: string): string {
  const { mode } = statSync(path);
  if ((mode & 0o077) !== 0) {
    throw new Failure('refused', `Others can read the password in ${path}.`, { hint: `chmod 600 ${path}` });
  }
  return readFileSync(path, 'utf8').trimEnd();
}

/** The address itself is not repeated: a password may stand in it. */
function wrong(sentence: string): Failure {
  return new Failure('usage', `The address of the server is not valid. ${sentence}`);
}
