import type { BundleParts } from './bundle-sessions.ts';
import { shelfOf } from './shelf/shelf-of.ts';

/** Removes those of the bundles that no session refers to any more. */
export async function dropDeadBundles(parts: BundleParts, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const used = new Set((await parts.store.archive.bundles()).map(({ name }) => name));
  const dead = new Set(names.filter((name) => !used.has(name)));
  await shelfOf(parts).settle(used, [...dead]);
}
