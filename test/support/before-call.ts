import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';

type Calls = Record<string, (...args: unknown[]) => unknown>;

/** A call of `node:fs`, or of its promises. */
export type CallName = keyof typeof fs | `promises.${keyof typeof fs.promises}`;

/** Carries out an act, and something else right before its first call of this name, or the first that is meant. */
export async function beforeCall<T>(
  name: CallName,
  first: () => void,
  { act, isMeant = () => true }: { act: () => Promise<T> | T; isMeant?: (...args: unknown[]) => boolean },
): Promise<T> {
  const [calls, key] = name.startsWith('promises.') ? [fs.promises, name.slice('promises.'.length)] : [fs, name];
  const of = calls as unknown as Calls;
  const real = of[key];
  if (real === undefined) throw new Error(`no ${name}`);
  let met = false;
  const put = (call: (...args: unknown[]) => unknown) => {
    of[key] = call;
    syncBuiltinESMExports();
  };
  put((...args) => {
    if (!isMeant(...args)) return real(...args);
    put(real);
    met = true;
    first();
    return real(...args);
  });
  try {
    return await act();
  } finally {
    put(real);
    expect(met, `${name} was called`).toBe(true);
  }
}
