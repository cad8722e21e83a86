import { Failure } from '../../../core/failure.ts';
import type { ArchiveMember } from '../../../core/stores/session-archive.ts';
import { errorSentence } from '../../../platform/error-sentence.ts';
import { objectBundleName, objectBundleOf } from './bundle-names.ts';
import type { BundleShelf, MemberFile, ShelfParts, WrittenBundle } from './bundle-shelf.ts';
import { forgetLoose, type LooseBundle, looseBundles, noteLoose } from './loose-bundles.ts';
import { fetchMember } from './member-cache.ts';
import { type ArchiveObjects, type ObjectPlace, openPlace, preparePlace } from './object-place.ts';
import { hashOf, openFileSource, publishBundle, verifyBundle } from './publish-bundle.ts';

/**
 * Bundles in an object store, named by their content. A bundle is sent, read back and hashed, and only then a manifest says that it counts;
 * that it is on its way is noted in the home before its first byte goes, so that nothing is left that nobody knows of.
 */
export function objectShelf(parts: ShelfParts): BundleShelf {
  return {
    keep: (bundle) => keep(parts, bundle),
    open: (member) => open(parts, member),
    factsOf: objectBundleOf,
    async settle(used, dead) {
      try {
        await settle(parts, used, dead);
      } catch (error) {
        // What is noted stays noted: whoever comes next tries again.
        errorSentence(error);
      }
    },
  };
}

async function keep(parts: ShelfParts, { temporary, sizeBytes, members }: WrittenBundle): Promise<string> {
  const { store: memory, clock } = parts;
  const place = await openPlace(objectsOf(parts), memory);
  const conditionalPut = await preparePlace(place, memory, clock.now());
  using source = openFileSource(temporary, sizeBytes);
  const name = objectBundleName({ sha256: await hashOf(source), memberCount: members.length, sizeBytes });
  const loose = { name, place: place.store.place };
  await noteLoose(memory, [loose]);
  try {
    await place.store.put(place.bundleKey(name), source);
    await verifyBundle(place, name);
    await publishBundle(place, { name, members }, conditionalPut);
    return name;
  } catch (error) {
    await letGo(parts, place, loose);
    throw error;
  }
}

async function open(parts: ShelfParts, member: ArchiveMember): Promise<MemberFile> {
  const objects = objectsOf(parts);
  const { store, bundleKey } = await openPlace(objects, parts.store);
  const { layout, clock } = parts;
  return fetchMember({ store, layout, clock, cacheBytes: objects.cacheBytes }, member, bundleKey(member.bundle));
}

async function settle(parts: ShelfParts, used: ReadonlySet<string>, dead: readonly string[]): Promise<void> {
  const { store: memory, objects } = parts;
  const known = await looseBundles(memory);
  if (dead.length === 0 && known.length === 0) return;
  await forgetLoose(
    memory,
    known.filter(({ name }) => used.has(name)),
  );
  if (objects === undefined) return;
  const place = await openPlace(objects, memory);
  await noteLoose(
    memory,
    dead.map((name) => ({ name, place: place.store.place })),
  );
  for (const loose of await looseBundles(memory)) {
    // Of another place nothing can be reached now, and the settings may name it again.
    if (loose.place === place.store.place && !(await letGo(parts, place, loose))) return;
  }
}

/** First it no longer counts, then it goes. False where it could not be removed now; it stays noted then. */
async function letGo({ store: memory }: ShelfParts, place: ObjectPlace, loose: LooseBundle): Promise<boolean> {
  try {
    await place.store.remove(place.manifestKey(loose.name));
    await place.store.remove(place.bundleKey(loose.name));
  } catch (error) {
    errorSentence(error);
    return false;
  }
  await forgetLoose(memory, [loose]);
  return true;
}

function objectsOf({ objects }: ShelfParts): ArchiveObjects {
  if (objects !== undefined) return objects;
  throw new Failure('failed', 'Its archive is in an object store, and no setting says in which.', {
    hint: 'Set archive.url to where archived sessions went, then try again.',
  });
}
