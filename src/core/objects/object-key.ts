import { Failure } from '../failure.ts';

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const MOST_CHARACTERS = 900;

/** Refuses what is no key: nothing that is hidden, climbs up, or that some server would read in another way. */
export function checkObjectKey(key: string): void {
  if (key.length <= MOST_CHARACTERS && key.split('/').every((name) => SEGMENT.test(name))) return;
  throw new Failure('usage', `${JSON.stringify(key.slice(0, 100))} is no key of an object.`);
}

/** Which objects a prefix means: those whose keys begin with it. The empty one means all. */
export function checkObjectPrefix(prefix: string): void {
  if (prefix !== '') checkObjectKey(prefix.replace(/\/$/, ''));
}
