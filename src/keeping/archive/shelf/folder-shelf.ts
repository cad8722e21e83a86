import { lstatSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorSentence } from '../../../platform/error-sentence.ts';
import { openBelow } from '../../../platform/files/directory-handle.ts';
import { syncDir } from '../../../platform/files/private-files.ts';
import type { OwnLayout } from '../../own-layout.ts';
import { tarNames } from '../archive-tar.ts';
import type { BundleShelf } from './bundle-shelf.ts';

/** Bundles in the archive folder of a home. */
export function folderShelf(layout: OwnLayout): BundleShelf {
  return {
    async keep({ folder, temporary, name }) {
      renameSync(temporary, folder.at(name));
      folder.sync();
      syncDir(layout.root);
      return name;
    },
    async open(member) {
      return { path: join(layout.archive, member.bundle), member, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    factsOf(name) {
      const path = join(layout.archive, name);
      const sizeBytes = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      // The index is a member, too.
      return sizeBytes === 0 ? undefined : { sizeBytes, memberCount: tarNames(path).length - 1 };
    },
    async settle(_, dead) {
      try {
        using folder = dead.length === 0 ? undefined : openBelow(layout.root, layout.archive);
        if (folder === undefined) return;
        for (const name of dead) rmSync(folder.at(name), { force: true });
        folder.sync();
      } catch (error) {
        // A scan finds it and calls it debris, so that a later run removes it.
        errorSentence(error);
      }
    },
  };
}
