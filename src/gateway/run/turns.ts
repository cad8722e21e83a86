/** Things that are done one after the other until one fails; after that, nothing more is done. */
export interface Turns {
  /** Resolves when the work was done, or failed, or was not begun. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** For what went wrong outside. */
  readonly fail: (error: unknown) => void;
  /** Throws the first thing that went wrong. */
  readonly throwIfFailed: () => void;
}

export function createTurns(onFailure: () => void): Turns {
  let last = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const fail = (error: unknown): void => {
    failure ??= { error };
    onFailure();
  };
  const after = async (before: Promise<void>, work: () => Promise<void>): Promise<void> => {
    await before;
    if (failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      fail(error);
    }
  };
  return {
    inTurn(work) {
      last = after(last, work);
      return last;
    },
    fail,
    throwIfFailed() {
      if (failure !== undefined) throw failure.error;
    },
  };
}
