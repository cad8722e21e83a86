import type { ArchiveMember } from '../../../core/stores/session-archive.ts';
import { isBundleName } from './bundle-names.ts';
import type { BundleShelf, ShelfParts } from './bundle-shelf.ts';
import { folderShelf } from './folder-shelf.ts';
import { objectShelf } from './object-shelf.ts';

/**
 * The bundles of a home, wherever each of them stands: its name says it. New ones go where the settings say; earlier ones stay where they are,
 * and are read from there.
 */
export function shelfOf(parts: ShelfParts): BundleShelf {
  const folder = folderShelf(parts.layout);
  const objects = objectShelf(parts);
  const of = (name: string) => (isBundleName(name) ? folder : objects);
  return {
    keep: (bundle) => (parts.objects === undefined ? folder : objects).keep(bundle),
    open: (member: ArchiveMember) => of(member.bundle).open(member),
    factsOf: (name) => of(name).factsOf(name),
    async settle(used, dead) {
      await folder.settle(used, dead.filter(isBundleName));
      await objects.settle(
        used,
        dead.filter((name) => !isBundleName(name)),
      );
    },
  };
}
