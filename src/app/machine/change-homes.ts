import { lstatSync, statSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { isNativeHome } from '../../homes/native/is-native-home.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { findForeign } from '../find-home.ts';
import { freeName, isHomeName, NATIVE } from './home-names.ts';
import { changeRegistry } from './home-registry.ts';
import { type Environment, homeAt, type KnownHome, knownHomes, ownRoot } from './known-homes.ts';

export interface AddHome {
  /** Its absolute path. */
  readonly path: string;
  /** What it is to be called; a name is found for it when absent. */
  readonly name?: string;
}

/** Takes a home into the list, or back into it. Refuses a folder that is no home: what is not understood is nobody's. */
export async function addHome(env: Environment, { path, name }: AddHome): Promise<KnownHome> {
  refuseNoFolder(path);
  const kind = await kindAt(path);
  if (name !== undefined && !isHomeName(name)) throw noName(name);
  const { homes } = await knownHomes(env);
  const place = realPathIfThere(path);
  const known = homes.find((home) => realPathIfThere(home.path) === place);
  const others = new Set(homes.filter((home) => home !== known).map((home) => home.name));
  if (name !== undefined && others.has(name)) throw nameTaken(name);
  const called = name ?? known?.name ?? freeName(kind, path, others);
  // One that is found by itself needs an entry only for a name of its own.
  const needed = name !== undefined || known === undefined || known.by === 'added';
  await changeRegistry(await ownRoot(env), ({ added, ignored }) => ({
    added: [
      ...added.filter((home) => realPathIfThere(home.path) !== place),
      ...(needed ? [{ path, name: called, kind }] : []),
    ],
    ignored: ignored.filter((one) => realPathIfThere(one) !== place),
  }));
  return homeAt(path, (await knownHomes(env)).homes);
}

/** Leaves a home out of everything that is about all of them. It stays as it is, and can still be named. */
export async function ignoreHome(env: Environment, path: string): Promise<KnownHome> {
  const { homes } = await knownHomes(env);
  const place = realPathIfThere(path);
  const known = homes.find((home) => realPathIfThere(home.path) === place);
  if (known === undefined) throw notKnown(path);
  if (known.by === 'in-use') throw inUse(known);
  await changeRegistry(await ownRoot(env), ({ added, ignored }) => ({
    added,
    ignored: [...ignored.filter((one) => realPathIfThere(one) !== place), known.path],
  }));
  return { ...known, ignored: true };
}

function refuseNoFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const what =
    lstatSync(path, { throwIfNoEntry: false }) === undefined ? 'There is nothing at' : 'There is no folder at';
  throw new Failure('not-found', `${what} ${path}.`, { hint: 'Nothing was changed. Check the path, then try again.' });
}

async function kindAt(path: string): Promise<string> {
  const found = await findForeign(path);
  if (found !== undefined) return found.kind;
  if (isThere(nativeLayout(path).database) && isNativeHome(path)) return NATIVE;
  throw new Failure('refused', `${path} is no home of an agent that Coppice knows.`, {
    hint: 'Nothing was changed. Transcripts in it may be read all the same, with: coppice sessions import FOLDER',
  });
}

function noName(name: string): Failure {
  return new Failure('usage', `${JSON.stringify(name)} cannot be the name of a home.`, {
    hint: 'Use small letters, digits, dots, dashes and underscores, a letter or a digit first, at most 64 of them.',
  });
}

function nameTaken(name: string): Failure {
  return new Failure('usage', `Another home is called ${name} already.`, {
    hint: 'Nothing was changed. Choose another name. What each is called shows: coppice homes list',
  });
}

function notKnown(path: string): Failure {
  return new Failure('not-found', `No home is known at ${path}.`, {
    hint: 'Nothing was changed. See those that are with: coppice homes list',
  });
}

function inUse({ path }: KnownHome): Failure {
  return new Failure('usage', `${path} is the home in use, so it is not left out.`, {
    hint: 'Another one is in use when COPPICE_HOME names it.',
  });
}
