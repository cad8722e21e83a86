import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../src/core/failure.ts';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import { namedPath } from './named-path.ts';

/** What a process that dies at a point throws, so that nothing after the point happens. */
class Died extends Error {}

/**
 * A place to die: the number of a call that changes something, and whether the call itself is still made. With an error, the call
 * fails with that instead, once, and life goes on.
 */
export interface FaultPoint {
  readonly number: number;
  readonly when: 'before' | 'after';
  readonly error?: string;
}

/**
 * Once armed, counts every change that is asked of the store and of the file system below `root`, and dies at one of them. From
 * then on every further change dies too, as in a process that is no more. Dying inside a transaction undoes it, as a crash does.
 */
export class Faults {
  readonly #root: string;
  readonly #point: FaultPoint | undefined;
  #armed = false;
  #count = 0;
  #dead = false;
  readonly #removals: Promise<void>[] = [];

  constructor(root: string, point?: FaultPoint) {
    this.#root = root;
    this.#point = point;
  }

  /** Carries out an act with the point in place. True if it died there. */
  async during(act: () => Promise<unknown>): Promise<boolean> {
    // Loads what it removes folders with, which would otherwise keep the calls as they are while they are watched.
    fs.rmSync(join(this.#root, 'no such folder'), { recursive: true, force: true });
    const restore = [
      ...PATH_CALLS.map((name) => this.#patch(name, (path, flags) => this.#changes(path, flags))),
      ...HANDLE_CALLS.map((name) => this.#patch(name, () => true)),
      ...PROMISED_CALLS.map((name) => this.#patchPromised(name)),
    ];
    syncBuiltinESMExports();
    this.#armed = true;
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      // Whoever waits for a removal besides dies at what comes next, rather than going on once this is over.
      await Promise.allSettled(this.#removals);
      await setImmediate();
    } finally {
      this.#armed = false;
      for (const undo of restore) undo();
      syncBuiltinESMExports();
    }
    return this.#dead;
  }

  /** How many points were passed. */
  get count(): number {
    return this.#count;
  }

  /** The store with every change that the engine asks of it as a point. */
  wrap(store: SessionStore): SessionStore {
    const trash = this.#wrapMethods(store.trash, ['hide', 'show', 'drop', 'takeFiles', 'returnFiles', 'giveBack']);
    const archive = this.#wrapMethods(store.archive, ['seal', 'clear', 'put', 'unseal', 'hide', 'show', 'move']);
    const journal = this.#wrapMethods(store.journal, ['begin', 'intend', 'mark', 'finish', 'forget']);
    const whole = this.#wrapMethods(store, ['setMeta']);
    const parts: Readonly<Record<string | symbol, unknown>> = { trash, archive, journal };
    return new Proxy(store, { get: (_, key) => (key in parts ? parts[key] : Reflect.get(whole, key)) as unknown });
  }

  #wrapMethods<T extends object>(target: T, names: readonly (keyof T)[]): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        const method = (value as (...args: unknown[]) => unknown).bind(target);
        if (!names.includes(key as keyof T)) return method;
        return async (...args: unknown[]) => {
          const after = this.#enter(storeFailure);
          const result = await method(...args);
          after();
          return result;
        };
      },
    });
  }

  #patch(name: (typeof PATH_CALLS | typeof HANDLE_CALLS)[number], counts: (...args: unknown[]) => boolean): () => void {
    const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
    const real = calls[name];
    if (real === undefined) throw new Error(`no ${name}`);
    calls[name] = (...args) => {
      if (!counts(...args)) return real(...args);
      const after = this.#enter((code) => Object.assign(new Error(`${code}: ${name} failed`), { code, syscall: name }));
      try {
        return real(...args);
      } finally {
        // Also after a call that failed: whoever made it dies before hearing of it.
        after();
      }
    };
    return () => {
      calls[name] = real;
    };
  }

  /** A folder that is opened to reach what is in it is not changed by that. */
  #changes(path: unknown, flags: unknown): boolean {
    if (typeof flags === 'number' && (flags & fs.constants.O_DIRECTORY) !== 0) return false;
    return typeof path === 'string' && namedPath(path).startsWith(this.#root);
  }

  /** Removals that the caller waits for. Those that were asked for before a death still happen, as in a kernel. */
  #patchPromised(name: (typeof PROMISED_CALLS)[number]): () => void {
    const real = fs.promises[name];
    fs.promises[name] = async (path) => {
      if (!namedPath(path).startsWith(this.#root)) return real(path);
      const after = this.#enter((code) => Object.assign(new Error(`${code}: ${name} failed`), { code, syscall: name }));
      const removal = real(path).finally(after);
      this.#removals.push(removal);
      await removal;
    };
    return () => {
      fs.promises[name] = real;
    };
  }

  #enter(asked: (code: string) => Error): () => void {
    if (!this.#armed) return () => undefined;
    this.#dieIf(this.#dead);
    this.#count += 1;
    if (this.#point?.number !== this.#count) return () => undefined;
    const { when, error } = this.#point;
    if (error !== undefined) throw asked(error);
    this.#dieIf(when === 'before');
    return () => this.#dieIf(when === 'after');
  }

  #dieIf(now: boolean): void {
    if (!now) return;
    this.#dead = true;
    throw new Died('died at a point');
  }
}

/** What the store makes of an error of the file system. */
function storeFailure(code: string): Error {
  return new Failure('failed', `The database cannot be written: ${code}.`);
}

const PATH_CALLS = ['renameSync', 'mkdirSync', 'rmSync', 'rmdirSync', 'unlinkSync', 'openSync'] as const;
const PROMISED_CALLS = ['unlink', 'rmdir'] as const;
const HANDLE_CALLS = ['writeSync', 'ftruncateSync', 'fsyncSync'] as const;
