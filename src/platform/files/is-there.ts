import { lstatSync } from 'node:fs';

/** Whether anything has this path, a link that leads nowhere included. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
