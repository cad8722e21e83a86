import { lstatSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HomeKind } from '../home-kind.ts';

/** Homes of Hermes. What reads one is loaded only where something is that may be one. */
export const hermesKind: HomeKind = {
  name: 'hermes',
  agent: 'Hermes',
  places(env) {
    // Where `HERMES_HOME` says, else `~/.hermes`, and the profiles in it.
    const home = env['HERMES_HOME'] ?? join(homedir(), '.hermes');
    const profiles = join(home, 'profiles');
    return [home, ...namesIn(profiles).map((name) => join(profiles, name))].filter(hasDatabase);
  },
  async detect(path) {
    if (!mayBeHome(path)) return undefined;
    const { findHermes } = await import('./find-hermes.ts');
    return findHermes(path);
  },
};

function mayBeHome(path: string): boolean {
  try {
    return lstatSync(join(path, 'state.db'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A path through a file is no home: whoever opens it says what is wrong.
    return false;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    // Most homes have no profiles, and one that cannot be read is not for us to name.
    return [];
  }
}

function hasDatabase(home: string): boolean {
  return statSync(join(home, 'state.db'), { throwIfNoEntry: false })?.isFile() === true;
}
