import { rmSync } from 'node:fs';
import { errorSentence } from '../../platform/error-sentence.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import type { BundleParts } from './bundle-sessions.ts';

/** Removes those of the bundles that no session refers to any more. */
export async function dropDeadBundles({ store, layout }: BundleParts, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const used = new Set((await store.archive.bundles()).map(({ name }) => name));
  const dead = new Set(names.filter((name) => !used.has(name)));
  try {
    using folder = dead.size === 0 ? undefined : openBelow(layout.root, layout.archive);
    if (folder === undefined) return;
    for (const name of dead) rmSync(folder.at(name), { force: true });
    folder.sync();
  } catch (error) {
    // A scan finds it and calls it debris, so that a later run removes it.
    errorSentence(error);
  }
}
