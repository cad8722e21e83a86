import type { ArchiveMember } from '../../../core/stores/session-archive.ts';

const IN_A_FOLDER = /^\d{8}T\d{9}Z-[0-9a-f]{8}\.tar$/;
const AS_AN_OBJECT = /^([0-9a-f]{64})-(\d{1,6})-(\d{1,15})\.tar$/;

/** True for a name that a bundle gets in the archive folder of a home. */
export function isBundleName(name: string): boolean {
  return IN_A_FOLDER.test(name);
}

/** What the name of a bundle in an object store says of it: what it must be, so that nothing has to be asked for that. */
export interface ObjectBundle {
  readonly sha256: string;
  readonly memberCount: number;
  readonly sizeBytes: number;
}

export function objectBundleName({ sha256, memberCount, sizeBytes }: ObjectBundle): string {
  return `${sha256}-${memberCount}-${sizeBytes}.tar`;
}

/** Undefined for a name that no bundle in an object store has. */
export function objectBundleOf(name: string): ObjectBundle | undefined {
  const [, sha256, members, bytes] = AS_AN_OBJECT.exec(name) ?? [];
  return sha256 === undefined ? undefined : { sha256, memberCount: Number(members), sizeBytes: Number(bytes) };
}

/** What a member takes on the disk of its home: nothing where its bundle is elsewhere. */
export function bytesHere({ bundle, lengthBytes }: Pick<ArchiveMember, 'bundle' | 'lengthBytes'>): number {
  return isBundleName(bundle) ? lengthBytes : 0;
}
