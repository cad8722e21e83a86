import type { EpochMs } from '../../core/time.ts';

/** By time, then by id; a time that is not a number comes last, where the future is. */
export function oldestFirst<T extends { readonly id: string }>(items: readonly T[], timeOf: (item: T) => EpochMs): T[] {
  const keyOf = (item: T) => {
    const time = timeOf(item);
    return Number.isNaN(time) ? Infinity : time;
  };
  return items.toSorted((a, b) => keyOf(a) - keyOf(b) || (a.id < b.id ? -1 : 1));
}
