import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorSentence } from '../../platform/error-sentence.ts';
import { syncDir } from '../../platform/private-files.ts';
import type { BundleParts } from './bundle-sessions.ts';

/** Removes those of the bundles that no session refers to any more. */
export async function dropDeadBundles({ store, layout }: BundleParts, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const used = new Set((await store.archive.bundles()).map(({ name }) => name));
  const dead = new Set(names.filter((name) => !used.has(name)));
  try {
    for (const name of dead) rmSync(join(layout.archive, name), { force: true });
    if (dead.size > 0) syncDir(layout.archive);
  } catch (error) {
    // A scan finds it and calls it debris, so that a later run removes it.
    errorSentence(error);
  }
}
