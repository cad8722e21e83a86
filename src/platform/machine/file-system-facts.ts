import { statfsSync } from 'node:fs';

/** Bytes that an ordinary user can still write to the file system of this path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/**
 * Less free than this, and a database may be unable to write even what it needs to delete. Then the steps that remove things are
 * small, and whatever can wait does.
 */
export const TIGHT_BYTES = 16 * 1024 * 1024;

/** Whether the file system of this path is nearly full. */
export function isTight(path: string): boolean {
  return freeBytes(path) < TIGHT_BYTES;
}

/** The kind of network file system a path is on, where SQLite's locks and shared memory cannot be relied on. */
export function networkFileSystem(path: string): string | undefined {
  return networkFileSystemOfType(statfsSync(path).type);
}

/** The same from the type number of `statfs`, which some systems give as a negative number. */
export function networkFileSystemOfType(type: number): string | undefined {
  return NETWORK_TYPES.get(type >>> 0);
}

/** The numbers of Linux. Other systems use small numbers, which match none of these. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x5346414f, 'afs'],
  [0x00c36400, 'ceph'],
  [0x65735546, 'fuse'],
]);
