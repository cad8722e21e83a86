/** Results in order, while the work for the next few items is already under way. */
export async function* lookAhead<T, R>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  try {
    for (const item of items) {
      const result = work(item);
      // It may fail before its turn comes, and is heard then: until that it must not count as a failure that nobody hears.
      result.catch(() => undefined);
      begun.push(result);
      const [first] = begun;
      if (begun.length <= count || first === undefined) continue;
      yield await first;
      void begun.shift();
    }
    for (const result of begun) yield await result;
  } finally {
    // Whoever stops half-way must not leave work behind that goes on by itself, nor failures that nobody hears.
    await Promise.allSettled(begun);
  }
}
