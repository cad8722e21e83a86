import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { machineFailure } from '../../core/machine-failure.ts';
import type { SearchBook } from '../../core/stores/search-book.ts';
import { ownLayout } from '../../keeping/own-layout.ts';
import { makePrivateDir } from '../../platform/files/private-files.ts';
import { IN_MEMORY } from '../../store/sqlite/database/connection.ts';
import { openSearchBook } from '../../store/sqlite/finding/search-book.ts';
import type { HomeParts } from '../home-parts.ts';

export interface OpenIndex extends Disposable {
  readonly book: SearchBook;
  /** It is gone when it is closed: nothing can be written where it should be. */
  readonly passing: boolean;
}

/** Where the index is: in Coppice's own home. */
export async function indexPath({ layout, ownRoot }: Pick<HomeParts, 'layout' | 'ownRoot'>): Promise<string> {
  return ownLayout((await ownRoot?.()) ?? layout.root).search;
}

/** Opens the index. Where it cannot be kept, one is built in memory for this search alone; a damaged one is built anew. */
export async function openIndex(parts: HomeParts): Promise<OpenIndex> {
  const path = await indexPath(parts);
  try {
    makePrivateDir(dirname(path));
    return opened(openKept(path), false);
  } catch (error) {
    const failure = error instanceof Failure ? error : machineFailure(error, path);
    if (failure === undefined || failure.code === 'locked' || failure.code === 'integrity') throw failure ?? error;
    return opened(openSearchBook(IN_MEMORY), true);
  }
}

function openKept(path: string): SearchBook {
  try {
    return openSearchBook(path);
  } catch (error) {
    // Written by a newer program it is left alone; all else that is wrong with it is mended by building it anew.
    const isDamaged = error instanceof Failure && error.code === 'integrity' && error.cause !== undefined;
    if (!isDamaged) throw error;
    removeIndex(path);
    return openSearchBook(path);
  }
}

function opened(book: SearchBook, passing: boolean): OpenIndex {
  return { book, passing, [Symbol.dispose]: () => book[Symbol.dispose]() };
}

/** Removes the index of all homes. Everything in it is still where it was read. */
export async function dropIndex(parts: HomeParts): Promise<void> {
  const path = await indexPath(parts);
  if (!existsSync(path)) return;
  // Whoever has it open goes on with what is left: nothing.
  using book = openKept(path);
  book.clear();
}

/** Takes what these sessions said out of the index. A full disk keeps nobody from making room: then all of the index goes. */
export async function forgetWords(parts: HomeParts, ids: readonly string[]): Promise<void> {
  const path = await indexPath(parts);
  if (ids.length === 0 || parts.foreign?.searched === undefined || !existsSync(path)) return;
  try {
    using book = openKept(path);
    book.erase(parts.foreign.path, ids);
  } catch (error) {
    if (error instanceof Failure && error.code === 'locked') throw error;
    removeIndex(path);
  }
}

function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
