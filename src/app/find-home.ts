import type { SessionReader } from '../core/sessions/session-reader.ts';
import type { Clock } from '../core/time.ts';
import type { FoundHome } from '../homes/home-kind.ts';
import { KINDS } from '../homes/kinds.ts';
import { isNativeHome } from '../homes/native/is-native-home.ts';

/** The home of another agent at a path. Nothing of other agents is loaded where a home of Coppice, or nothing, is. */
export async function findForeign(path: string): Promise<FoundHome | undefined> {
  if (isNativeHome(path)) return undefined;
  for (const { load } of KINDS) {
    const found = await (await load()).detect(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Homes of other agents that this person has, with what their agent is called. */
export async function foreignPlaces(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly { readonly path: string; readonly agent: string }[]> {
  const kinds = await Promise.all(KINDS.map(({ load }) => load()));
  return kinds.flatMap((kind) => kind.places(env).map((path) => ({ path, agent: kind.agent })));
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
