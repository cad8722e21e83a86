import { errorText } from '../../core/error-text.ts';
import type { Problem } from '../../core/problem.ts';
import { KINDS } from '../../homes/kinds.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { findForeign, possibleKinds } from '../find-home.ts';
import { homePath, ownHome } from '../home-path.ts';
import { freeName, NATIVE } from './home-names.ts';
import { readRegistry } from './home-registry.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A home of this machine, as it is known without opening it. */
export interface KnownHome {
  /** What it is called on the command line. */
  readonly name: string;
  /** `native`, or the name of the kind that its agent is of. */
  readonly kind: string;
  /** What people call the agent that writes it. */
  readonly agent: string;
  readonly path: string;
  /** Why it is known: it is the one in use, it is in a usual place of its agent, or somebody added it. */
  readonly by: 'in-use' | 'found' | 'added';
  /** Left out of what is about all homes, because somebody said so. */
  readonly ignored: boolean;
  /** Nothing was written there yet. */
  readonly empty?: true;
}

export interface KnownHomes {
  readonly homes: readonly KnownHome[];
  /** Places that could not be looked at. */
  readonly problems: readonly Problem[];
}

/** Every home of this machine: the one in use first, then those in the usual places of their agents, then those that were added. */
export async function knownHomes(env: Environment): Promise<KnownHomes> {
  const inUse = await homeInUse(env);
  const registry = readRegistry(registryRoot(inUse));
  const { places, problems } = await usualPlaces(env);
  const ignored = new Set(registry.ignored.map(realPathIfThere));
  const found = new Map<string, KnownHome>();
  const taken = new Set(registry.added.map(({ name }) => name));
  const add = (home: Omit<KnownHome, 'name' | 'ignored'> & { readonly name?: string }) => {
    const place = realPathIfThere(home.path);
    if (found.has(place)) return;
    const name = home.name ?? registry.added.find(({ path }) => realPathIfThere(path) === place)?.name;
    const called = name ?? freeName(home.kind, home.path, taken);
    taken.add(called);
    found.set(place, { ...home, name: called, ignored: home.by !== 'in-use' && ignored.has(place) });
  };
  add(inUse);
  for (const place of places) add(place);
  for (const { kind, ...rest } of registry.added) add({ ...rest, kind, agent: agentOf(kind), by: 'added' });
  return { homes: [...found.values()], problems };
}

/** The home at a path, under the name that it has, or its path where nobody knows it. */
export async function homeAt(path: string, homes: readonly KnownHome[]): Promise<KnownHome> {
  const place = realPathIfThere(path);
  const known = homes.find((home) => realPathIfThere(home.path) === place);
  if (known !== undefined) return known;
  const kind = (await findForeign(path))?.kind ?? NATIVE;
  return { name: path, kind, agent: agentOf(kind), path, by: 'added', ignored: false };
}

/** What people call the agent whose homes are of a kind. */
export function agentOf(kind: string): string {
  return kind === NATIVE ? 'Coppice' : (KINDS.find(({ name }) => name === kind)?.agent ?? kind);
}

/** Coppice's own home, where the list of homes is: the one in use, or that of this person where another agent's is in use. */
export async function ownRoot(env: Environment): Promise<string> {
  return registryRoot(await homeInUse(env));
}

type HomeInUse = Omit<KnownHome, 'name' | 'ignored'>;

async function homeInUse(env: Environment): Promise<HomeInUse> {
  const path = homePath(undefined, env);
  const kind = (await findForeign(path))?.kind ?? NATIVE;
  const empty = kind === NATIVE && isEmpty(path);
  return { path, kind, agent: agentOf(kind), by: 'in-use', ...(empty && { empty }) };
}

/** What stands in the way of looking is said by whoever opens the home. */
function isEmpty(path: string): boolean {
  try {
    return !isThere(nativeLayout(path).database);
  } catch {
    return false;
  }
}

function registryRoot({ kind, path }: HomeInUse): string {
  return kind === NATIVE ? path : ownHome();
}

async function usualPlaces(env: Environment): Promise<{ places: HomeInUse[]; problems: Problem[] }> {
  const places: HomeInUse[] = [];
  const problems: Problem[] = [];
  for (const { name: kind, agent, load } of possibleKinds(env)) {
    try {
      const found = (await load()).places(env);
      places.push(...found.map((path) => ({ path, kind, agent, by: 'found' as const })));
    } catch (error) {
      const message = `Where ${agent} keeps its homes could not be looked at: ${errorText(error)}`;
      problems.push({ kind: 'places-unreadable', subject: kind, message });
    }
  }
  return { places, problems };
}
