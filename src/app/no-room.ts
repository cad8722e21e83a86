import { Failure } from '../core/failure.ts';
import { isNoSpace } from '../core/machine-failure.ts';
import { freeBytes } from '../platform/machine/file-system-facts.ts';
import type { HomeParts } from './home-parts.ts';
import { neededBytes } from './retention/give-up-trash.ts';

/** What a change that met a full disk says: how much is missing, and what works there. Other errors pass. */
export async function orNoRoom<T>(parts: HomeParts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isNoSpace(error) ? await noRoom(parts, error) : error;
  }
}

async function noRoom(parts: HomeParts, cause: unknown): Promise<Failure> {
  const { layout, foreign, store } = parts;
  const home = foreign?.path ?? layout.root;
  const needed = Math.max(neededBytes(parts), 2 * freeBytes(layout.root));
  const megabytes = Math.ceil(needed / 1024 / 1024);
  const isInTrash = (await store.journal.inTrash()).length > 0;
  const step = isInTrash
    ? 'Empty the trash with: coppice trash empty --all'
    : `Remove any file of ${megabytes} MB that you can do without from that disk, then run the same command again.`;
  return new Failure(
    'failed',
    `There is no space left on the disk that holds ${home}, and about ${megabytes} MB are needed to go on.`,
    { hint: `Nothing is lost, and what was begun is ended by the next change. ${step}`, cause },
  );
}
