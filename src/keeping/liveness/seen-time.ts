import type { HomeMemory } from '../../core/stores/session-records.ts';
import type { Clock, EpochMs, SinceBoot } from '../../core/time.ts';

/** A time that a home saw, and how long the machine had been on by then, where it tells. */
export interface Seen {
  readonly at: EpochMs;
  readonly sinceBoot?: SinceBoot;
}

export function seenNow(clock: Clock): Seen {
  const sinceBoot = clock.sinceBoot?.();
  return { at: clock.now(), ...(sinceBoot && { sinceBoot }) };
}

/** How long the machine was on between the two; undefined for another machine, another start of it, or a count that went back. */
export function onBetween(then: Seen, now: Seen): number | undefined {
  if (then.sinceBoot === undefined || then.sinceBoot.boot !== now.sinceBoot?.boot) return undefined;
  const on = now.sinceBoot.ms - then.sinceBoot.ms;
  // Containers on one machine may each be given a count of their own.
  return on >= 0 ? on : undefined;
}

/** Reads a time that was written down under this name. */
export async function readSeen(store: HomeMemory, name: string): Promise<Seen | undefined> {
  const text = (await store.getMeta(name)) ?? '';
  if (text === '') return undefined;
  const at = Number(text);
  const [ofTime, ms, ...boot] = ((await store.getMeta(countName(name))) ?? '').split(' ');
  // Older versions write the time alone, and a crash may come between the two.
  return ofTime === text ? { at, sinceBoot: { boot: boot.join(' '), ms: Number(ms) } } : { at };
}

export async function writeSeen(store: HomeMemory, name: string, { at, sinceBoot }: Seen): Promise<void> {
  if (sinceBoot !== undefined) await store.setMeta(countName(name), `${at} ${sinceBoot.ms} ${sinceBoot.boot}`);
  await store.setMeta(name, String(at));
}

export async function forgetSeen(store: HomeMemory, name: string): Promise<void> {
  await store.setMeta(name, '');
}

function countName(name: string): string {
  return `${name}-since-boot`;
}
