import type { ArchiveMember } from '../../../core/stores/session-archive.ts';
import type { HomeMemory } from '../../../core/stores/session-records.ts';
import type { Clock } from '../../../core/time.ts';
import type { DirectoryHandle } from '../../../platform/files/directory-handle.ts';
import type { OwnLayout } from '../../own-layout.ts';
import type { ArchiveObjects } from './object-place.ts';

/** A member that can be read: a file here, and where in it the member is. Good until it is disposed of. */
export interface MemberFile extends AsyncDisposable {
  readonly path: string;
  readonly member: ArchiveMember;
}

/** A bundle that is whole, synced and read back, in a file that has no name yet. */
export interface WrittenBundle {
  readonly folder: DirectoryHandle;
  /** The file, until this is over. */
  readonly temporary: string;
  /** What it would be called in the folder. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly members: readonly BundleMember[];
}

/** What there is to know of a member without opening its bundle. */
export interface BundleMember extends Omit<ArchiveMember, 'bundle'> {
  /** Its name in the bundle. */
  readonly member: string;
  /** The session. */
  readonly id: string;
  readonly title?: string;
}

/** Where the bundles of a home stand: in its archive folder, or in an object store. */
export interface BundleShelf {
  /** Takes a bundle in. It is durable when this resolves to the name by which sessions refer to it. */
  keep(bundle: WrittenBundle): Promise<string>;
  /** Has a member at hand, from wherever it is. Fails in a sentence where it is not to be had. */
  open(member: ArchiveMember): Promise<MemberFile>;
  /** How large a bundle is, and how many sessions were put into it; undefined where there is none. */
  factsOf(name: string): { readonly sizeBytes: number; readonly memberCount: number } | undefined;
  /**
   * Removes bundles that no session refers to, and whatever else was left behind of which this is known. `used` are those that any session
   * refers to. What cannot be removed now is remembered, or found by a later scan.
   */
  settle(used: ReadonlySet<string>, dead: readonly string[]): Promise<void>;
}

export interface ShelfParts {
  readonly layout: OwnLayout;
  readonly clock: Clock;
  readonly store: HomeMemory;
  /** Where bundles go that are made from now on; into the archive folder of the home where this is absent. */
  readonly objects?: ArchiveObjects | undefined;
}
