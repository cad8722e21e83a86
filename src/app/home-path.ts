import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../core/failure.ts';
import { shellWord } from '../core/shell-word.ts';
import { nativeLayout } from '../homes/native/native-layout.ts';
import { companionPath } from '../keeping/own-layout.ts';
import { errorCode } from '../platform/error-code.ts';
import { makePrivateDir } from '../platform/files/private-files.ts';
import { isTemporaryName } from '../platform/leftovers/temporary-name.ts';
import { expandTilde, userHome } from '../platform/machine/user-home.ts';
import { findForeign } from './find-home.ts';

/** A person's own home, whichever one is in use. */
export function ownHome(): string {
  return join(userFolder(), '.coppice');
}

/** The home directory of the person who runs this. */
export function userFolder(): string {
  const directory = userHome();
  if (directory !== undefined) return directory;
  throw new Failure('usage', 'Nothing says where your home directory is: HOME is empty or not set.', {
    hint: 'Set HOME, or choose a place with --home DIR or COPPICE_HOME.',
  });
}

/** The home in use: the one given, else `COPPICE_HOME`, else `~/.coppice`. */
export function homePath(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  return resolve(expandTilde(given ?? (env['COPPICE_HOME'] || ownHome())));
}

/** The directory with Coppice's own files for that home: the home itself, or the one beside the files of another agent. */
export async function ownPath(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const path = homePath(given, env);
  return (await findForeign(path)) === undefined ? path : companionPath(path);
}

/** Where the configuration of that home is, or would be. */
export async function configPath(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  return nativeLayout(await ownPath(given, env)).config;
}

/**
 * Makes sure that a native home is at this path. Creates it when allowed; never writes into a folder that holds something
 * else, because what is not understood is not touched.
 */
export function prepareHome(root: string, { create }: { create: boolean }): void {
  const stat = lstatSync(root, { throwIfNoEntry: false });
  if (stat === undefined) {
    if (!create) throw noSuchHome(root);
    makePrivateDir(root);
    return;
  }
  const target = existsSync(root) ? readdirIfDirectory(root) : undefined;
  if (target === undefined) {
    throw new Failure('refused', `${root} is not a folder.`, { hint: 'Choose another home with --home DIR.' });
  }
  if (existsSync(nativeLayout(root).database)) return;
  if (target.every((name) => KNOWN_BEFORE_USE.has(name) || isHalfWritten(join(root, name)))) {
    if (!create) throw noSuchHome(root);
    return;
  }
  throw new Failure('refused', `${root} holds files that Coppice did not write, so it is not used as a home.`, {
    hint: 'Nothing was changed. Choose an empty or new folder with --home DIR.',
  });
}

/**
 * What may stand in a home before its first session: a configuration, and what is about homes of other agents: a list of them, plans, what they
 * used, and the index over what is said in them.
 */
const KNOWN_BEFORE_USE = new Set([
  'config.yaml',
  'sessions',
  'lock.db',
  'ballast',
  'plans',
  'homes.json',
  ...['usage.db', 'search.db'].flatMap((name) => ['', '-wal', '-shm'].map((suffix) => name + suffix)),
]);

/** What a first start that died left of a file it was writing: ours by its name, its owner and that nobody else may read it. */
function isHalfWritten(path: string): boolean {
  if (!isTemporaryName(basename(path))) return false;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.nlink !== 1) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}

function readdirIfDirectory(root: string): string[] | undefined {
  try {
    return readdirSync(root);
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw new Failure('refused', `${root} cannot be read.`, {
      hint: 'Check who owns it, or choose another home with --home DIR.',
      cause: error,
    });
  }
}

function noSuchHome(root: string): Failure {
  return new Failure('not-found', `There is no Coppice home at ${root}.`, {
    hint: `Create it with: coppice config init --home ${shellWord(root)}`,
  });
}
