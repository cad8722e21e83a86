import type { SessionReader } from '../core/stores/session-reader.ts';
import type { Clock } from '../core/time.ts';
import type { FoundHome } from '../homes/home-kind.ts';
import { KINDS, type KnownKind } from '../homes/kinds.ts';
import { isNativeHome } from '../homes/native/is-native-home.ts';
import { isThere } from '../platform/files/is-there.ts';
import { expandTilde } from '../platform/machine/user-home.ts';

/** The home of another agent at a path. Nothing of other agents is loaded where a home of Coppice, or nothing, is. */
export async function findForeign(path: string): Promise<FoundHome | undefined> {
  if (isNativeHome(path)) return undefined;
  for (const { load } of KINDS) {
    const found = await (await load()).detect(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The kinds of which this person may have a home. Of the others nothing is loaded. */
export function possibleKinds(env: Environment): readonly KnownKind[] {
  return KINDS.filter(({ place, variables, within = [place] }) => {
    return variables === undefined || variables.some((name) => env[name] !== undefined) || within.some(mayBeThere);
  });
}

function mayBeThere(place: string): boolean {
  try {
    return isThere(expandTilde(place));
  } catch {
    // What stands in the way of looking is said by the kind.
    return true;
  }
}

/** Where this person has homes of other agents. */
export async function foreignPlaces(env: Environment): Promise<readonly string[]> {
  const kinds = await Promise.all(possibleKinds(env).map(({ load }) => load()));
  return kinds.flatMap((kind) => kind.places(env));
}

export interface ForeignSessions {
  readonly path: string;
  readonly reader: SessionReader;
}

/** The sessions of another agent's home, only to be read. Why there are none to read otherwise. */
export async function readForeign(
  path: string,
  clock: Clock,
): Promise<ForeignSessions | { readonly why: string | undefined }> {
  const found = await findForeign(path);
  const reader = found?.reader(clock);
  return reader === undefined ? { why: found?.reasons[0]?.message } : { path, reader };
}
