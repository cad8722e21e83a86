/** Results in order, while the work for the next few items is already under way. A failure is thrown when its turn comes. */
export async function* lookAhead<T, R>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<() => R>[] = [];
  try {
    for (const item of items) {
      begun.push(outcomeOf(work(item)));
      const [first] = begun;
      if (begun.length <= count || first === undefined) continue;
      yield (await first)();
      void begun.shift();
    }
    for (const outcome of begun) yield (await outcome)();
  } finally {
    // Whoever stops half-way must not leave work behind that goes on by itself.
    await Promise.all(begun);
  }
}

/** Never rejects: what it resolves to gives the result, or throws the failure. */
function outcomeOf<R>(result: Promise<R>): Promise<() => R> {
  return result.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
}
