import assert from 'node:assert/strict';
import { Failure } from '../core/failure.ts';
import type { HomeLock } from '../core/home-lock.ts';
import type { SharedLock } from '../core/shared-lock.ts';
import type { KitCase } from './kit-case.ts';

/** Where one lock is. Each call gives it once more, as another process would have it. */
export interface LockPlace<Lock> {
  readonly lock: () => Lock;
}

/** The contract of `HomeLock`, as behaviour. */
export const homeLockCases: readonly KitCase<LockPlace<HomeLock>>[] = [
  {
    name: 'lets one in at a time, and names who holds it',
    async run({ lock }) {
      const held = await lock().acquire('pruning, process 7', 0);
      const refused = await failureOf(lock().acquire('undo', 30));
      assert.equal(refused.code, 'locked');
      assert.match(refused.message, /pruning, process 7/);
      held[Symbol.dispose]();
      (await lock().acquire('undo', 0))[Symbol.dispose]();
    },
  },
  {
    name: 'waits for the holder as long as it was told to',
    async run({ lock }) {
      const held = await lock().acquire('one', 0);
      const waiting = lock().acquire('two', 10_000);
      held[Symbol.dispose]();
      (await waiting)[Symbol.dispose]();
    },
  },
  {
    name: 'lets in one after the other who wait for it at once',
    async run({ lock }) {
      let inside = 0;
      let most = 0;
      const work = async (name: string) => {
        using _held = await lock().acquire(name, 10_000);
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside -= 1;
      };
      await Promise.all(['a', 'b', 'c'].map(work));
      assert.equal(most, 1);
    },
  },
];

/** The contract of `SharedLock`, as behaviour. */
export const sharedLockCases: readonly KitCase<LockPlace<SharedLock>>[] = [
  {
    name: 'is shared by many, and held alone by one',
    async run({ lock }) {
      const shared = [await lock().share(0), await lock().share(0)];
      assert.equal((await failureOf(lock().alone(0))).code, 'locked');
      for (const held of shared) held[Symbol.dispose]();
      const alone = await lock().alone(0);
      assert.equal((await failureOf(lock().share(0))).code, 'locked');
      assert.equal((await failureOf(lock().alone(0))).code, 'locked');
      alone[Symbol.dispose]();
      (await lock().share(0))[Symbol.dispose]();
    },
  },
  {
    name: 'lets whoever waits to have it alone go before those who come later',
    async run({ lock }) {
      const first = await lock().share(0);
      const order: string[] = [];
      const note = async (name: string, acquire: Promise<Disposable>) => {
        using _held = await acquire;
        order.push(name);
      };
      const alone = note('alone', lock().alone(10_000));
      // By now somebody waits, so the newcomer does too, although sharing would be possible.
      await new Promise((resolve) => setTimeout(resolve, 20));
      const later = note('later', lock().share(10_000));
      first[Symbol.dispose]();
      await Promise.all([alone, later]);
      assert.deepEqual(order, ['alone', 'later']);
    },
  },
  {
    name: 'can be shared again when having it alone was in vain',
    async run({ lock }) {
      const first = await lock().share(0);
      assert.equal((await failureOf(lock().alone(20))).code, 'locked');
      (await lock().share(0))[Symbol.dispose]();
      first[Symbol.dispose]();
    },
  },
];

async function failureOf(acquire: Promise<Disposable>): Promise<Failure> {
  try {
    (await acquire)[Symbol.dispose]();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('It was given, although somebody holds it.');
}
