import { setImmediate } from 'node:timers/promises';

/** Things that are done one after the other until one fails; after that, nothing more is done. */
export interface Turns {
  /** Resolves when the work was done, or failed, or was not begun. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Takes things in order: the next when the one before is taken. */
  readonly each: <Thing>(things: Iterable<Thing>, take: (thing: Thing) => Promise<void>) => Promise<void>;
  /** From now on nothing waits for what was begun before it; what is begun is still begun in order. */
  readonly hurry: () => void;
  /** For what went wrong outside. */
  readonly fail: (error: unknown) => void;
  /** Throws the first thing that went wrong. */
  readonly throwIfFailed: () => void;
}

export function createTurns(onFailure: () => void): Turns {
  let last = Promise.resolve();
  let hurried = false;
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
      const done = after(last, work);
      if (!hurried) last = done;
      return done;
    },
    async each(things, take) {
      const begun: Promise<void>[] = [];
      for (const thing of things) {
        const taken = take(thing);
        if (hurried) {
          begun.push(taken);
        } else {
          await taken;
          // What is taken without waiting must not keep signals, timers and the end of the child from being seen.
          await setImmediate();
        }
      }
      await Promise.all(begun);
    },
    hurry() {
      hurried = true;
    },
    fail,
    throwIfFailed() {
      if (failure !== undefined) throw failure.error;
    },
  };
}
