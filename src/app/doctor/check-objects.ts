import type { Problem } from '../../core/problem.ts';
import { isBundleName } from '../../keeping/archive/shelf/bundle-names.ts';
import { compareObjects } from '../../keeping/archive/shelf/compare-objects.ts';
import { knownPlace, openPlace } from '../../keeping/archive/shelf/object-place.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import type { HomeParts } from '../home-parts.ts';

/**
 * Compares what an object store holds of a home with what the home knows of it, by names and sizes: what is in them is hashed whenever one is
 * sent and whenever one is read. Undefined where nothing is in any.
 */
export async function checkObjects({ store, objects }: HomeParts) {
  const used = (await store.archive.bundles()).map(({ name }) => name).filter((name) => !isBundleName(name));
  if (objects === undefined && used.length === 0) return undefined;
  if (objects === undefined)
    return { name: 'archive elsewhere', looked: used.length, problems: [noPlace(used.length)] };
  try {
    const place = await openPlace(objects, store);
    const known = await knownPlace(store);
    const lesser = known?.place === place.store.place && known.conditionalPut !== 'honoured';
    const name = `archive in ${place.store.place}${lesser ? ', where nothing holds two writers apart' : ''}`;
    return { name, looked: used.length, problems: await compareObjects(place, store, used) };
  } catch (error) {
    return { name: 'archive elsewhere', looked: used.length, problems: [outOfReach(errorSentence(error))] };
  }
}

function noPlace(count: number): Problem {
  return {
    kind: 'archive-out-of-reach',
    subject: 'archive.url',
    message: `Archived sessions are in ${count === 1 ? 'a bundle' : `${count} bundles`} in an object store, and no setting says in which.`,
    hint: 'Set archive.url to where they went.',
  };
}

function outOfReach(sentence: string): Problem {
  return {
    kind: 'archive-out-of-reach',
    subject: 'archive.url',
    message: `What is archived elsewhere could not be looked at. ${sentence}`,
  };
}
