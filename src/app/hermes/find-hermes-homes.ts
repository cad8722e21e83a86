import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The Hermes homes of this person: where `HERMES_HOME` says, else `~/.hermes`, and the profiles in it. Only their places are
 * looked at, so that asking costs nothing.
 */
export function findHermesHomes(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = env['HERMES_HOME'] ?? join(homedir(), '.hermes');
  const profiles = join(home, 'profiles');
  return [home, ...names(profiles).map((name) => join(profiles, name))].filter(hasDatabase);
}

function names(directory: string): string[] {
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
