import { freeBytes } from '../platform/machine/file-system-facts.ts';

/** How many bytes are left on the disk that a home is on. */
export function freeDiskBytes(path: string): number {
  return freeBytes(path);
}
