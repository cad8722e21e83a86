import { resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { findForeign } from '../find-home.ts';
import { isHomeName } from './home-names.ts';
import { type Environment, type KnownHome, knownHomes } from './known-homes.ts';

/**
 * The home that is called so; undefined where the word is a path. A folder here that is a home and has the same name could be
 * meant as well, so neither is picked then.
 */
export async function findKnownHome(word: string, env: Environment, cwd: string): Promise<KnownHome | undefined> {
  if (!isHomeName(word)) return undefined;
  const { homes } = await knownHomes(env);
  const named = homes.find(({ name }) => name === word);
  if (named === undefined) return undefined;
  const folder = resolve(cwd, word);
  if (realPathIfThere(folder) === realPathIfThere(named.path) || !(await isHome(folder))) return named;
  throw new Failure(
    'usage',
    `${word} is the name of the home ${named.path}, and a home in this folder is called so too.`,
    {
      hint: `Give the path of the one that you mean: ${named.path} or ./${word}`,
    },
  );
}

async function isHome(path: string): Promise<boolean> {
  return isThere(path) && (isThere(nativeLayout(path).database) || (await findForeign(path)) !== undefined);
}
