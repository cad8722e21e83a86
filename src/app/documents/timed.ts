import { isoTime } from '../../core/time.ts';

/** A record whose instants are written as ISO 8601. */
export type Timed<T, Name extends keyof T> = { readonly [K in keyof T]: K extends Name ? string : T[K] };

/** The record with the instants of these names in ISO 8601, each at its place. What is absent stays so. */
export function timed<T extends object, Name extends keyof T>(record: T, ...names: readonly Name[]): Timed<T, Name> {
  const document: { -readonly [K in keyof T]: unknown } = { ...record };
  for (const name of names) {
    const at = record[name];
    if (typeof at === 'number') document[name] = isoTime(at);
  }
  return document as Timed<T, Name>;
}
