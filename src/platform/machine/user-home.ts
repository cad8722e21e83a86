import { homedir } from 'node:os';

/** The home directory of the person who runs this; undefined where nothing says which. */
export function userHome(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // Someone the system does not know by name, as in some containers.
    return undefined;
  }
}

/** A path in which a `~` at its start is that directory. Shells do this for words they see; settings and programs have none. */
export function expandTilde(path: string): string {
  return path.replace(/^~(?=$|\/)/, (tilde) => userHome() ?? tilde);
}
