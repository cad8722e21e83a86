/** Choices that are the same again for the same seed. */
export interface SeededRandom {
  /** A whole number from 0 up to, and without, this one. */
  below(count: number): number;
  one<Value>(values: readonly Value[]): Value;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    one(values) {
      const [chosen] = values.slice(below(values.length));
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
      return chosen;
    },
  };
}
