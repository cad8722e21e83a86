/** Results in order, while the work for the next few items is already under way. */
export async function* lookAhead<T, R>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  try {
    for (const item of items) {
      begun.push(work(item));
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
