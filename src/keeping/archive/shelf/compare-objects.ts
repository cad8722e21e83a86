import type { Problem } from '../../../core/problem.ts';
import type { HomeMemory } from '../../../core/stores/session-records.ts';
import { objectBundleOf } from './bundle-names.ts';
import { looseBundles } from './loose-bundles.ts';
import type { ObjectPlace } from './object-place.ts';

/** What is missing of the bundles that sessions refer to, and what is there that no session refers to. Changes nothing. */
export async function compareObjects(
  place: ObjectPlace,
  memory: Pick<HomeMemory, 'getMeta'>,
  used: readonly string[],
): Promise<readonly Problem[]> {
  const { store, homeId, bundleKey, manifestKey } = place;
  const there = new Map<string, number>();
  for await (const { key, sizeBytes } of store.list(`${homeId}/`)) there.set(key, sizeBytes);
  const problems: Problem[] = [];
  for (const name of used) {
    const sizeBytes = there.get(bundleKey(name));
    if (sizeBytes !== objectBundleOf(name)?.sizeBytes) problems.push(missing(place, bundleKey(name), sizeBytes));
    if (!there.has(manifestKey(name))) problems.push(unlisted(place, manifestKey(name)));
  }
  const ours = new Set([`${homeId}/home.json`, ...used.flatMap((name) => [bundleKey(name), manifestKey(name)])]);
  const loose = (await looseBundles(memory)).filter((one) => one.place === store.place);
  const leaving = new Set(loose.flatMap(({ name }) => [bundleKey(name), manifestKey(name)]));
  const left = new Set([...there.keys()].filter((key) => !ours.has(key)));
  for await (const key of store.unfinished(`${homeId}/`)) left.add(key);
  for (const key of left) problems.push(leaving.has(key) ? debris(place, key) : unknown(place, key));
  return problems;
}

function missing({ store }: ObjectPlace, key: string, sizeBytes: number | undefined): Problem {
  const what = sizeBytes === undefined ? 'is missing' : 'is not as large as it was';
  return {
    kind: 'archive-missing',
    subject: key,
    message: `${key} ${what} in ${store.place}, so the sessions in it cannot be restored.`,
    hint: 'Bring it back from a backup, or set archive.url to where it is.',
  };
}

function unlisted({ store }: ObjectPlace, key: string): Problem {
  const message = `${key} is missing in ${store.place}. Its sessions can be restored all the same.`;
  return { kind: 'archive-unlisted', subject: key, message };
}

function debris({ store }: ObjectPlace, key: string): Problem {
  const message = `${key} in ${store.place} is part of no archived session. A later run removes it.`;
  return { kind: 'debris', subject: key, message };
}

function unknown({ store }: ObjectPlace, key: string): Problem {
  const message = `${key} in ${store.place} is of no archived session that this home knows. It is left alone.`;
  return { kind: 'unknown-file', subject: key, message };
}
