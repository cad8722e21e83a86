import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { RunItem } from '../../core/retention/run.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { syncAll } from '../../platform/files/sync-all.ts';
import { openRunTrash, type RunTrash } from '../run-trash.ts';
import { readRecord, type TakenPiece, type TakenRecord, writeRecord } from './taken-record.ts';

/** What one run took out of a home whose sessions are files. Everything here can be asked for twice. */
export interface FileTrash {
  record(item: RunItem): TakenRecord | undefined;
  /** Writes down what is about to be taken of several items. Durable. */
  write(records: ReadonlyMap<RunItem, TakenRecord>): Promise<void>;
  /** Moves all of an item that is where it was written down. */
  take(item: RunItem): void;
  /** The paths of those of its files that are here. */
  here(item: RunItem): readonly TakenPiece[];
  /** False when something stands where its files came from; then all of them stay. */
  bringBack(item: RunItem): boolean;
  /** Brings back what nothing stands in the way of. */
  letGo(item: RunItem): void;
  /** Forgets an item with all that is here of it. Returns what that took on the disk. */
  purge(item: RunItem): Promise<number>;
  sync(): void;
  tidy(items: readonly RunItem[]): void;
}

export interface FileTrashPlace {
  readonly home: string;
  /** The trash of the run, below the home: moving is renaming. */
  readonly root: string;
}

export function openFileTrash({ home, root }: FileTrashPlace): FileTrash {
  const records = new Map<number, TakenRecord | undefined>();
  const placeOf = ({ number }: RunItem) => join(root, String(number));
  const record = (item: RunItem) => {
    if (!records.has(item.number)) records.set(item.number, readRecord(home, placeOf(item)));
    return records.get(item.number);
  };
  const moves = (item: RunItem, place: string) =>
    (record(item)?.pieces ?? []).map(({ path, as }) => ({ from: join(home, path), to: join(place, as) }));
  const trash: RunTrash = openRunTrash({ home, root, movesOf: moves });
  // The conversation comes last: before that its agent does not see the session, and then it sees all of it.
  const back = openRunTrash({ home, root, movesOf: (item, place) => moves(item, place).toReversed() });
  return {
    record,
    async write(some) {
      const toSync: string[] = [];
      for (const [item, each] of some) {
        toSync.push(...writeRecord(home, placeOf(item), each));
        records.set(item.number, each);
      }
      if (some.size > 0) trash.note([...some.keys()]);
      await syncAll(toSync);
    },
    take: (item) => void trash.take(item),
    here: (item) => (record(item)?.pieces ?? []).filter(({ as }) => isThere(join(placeOf(item), as))),
    bringBack: (item) => back.bringBack(item),
    letGo: (item) => back.letGo(item),
    async purge(item) {
      const freed = await trash.purge(item);
      records.delete(item.number);
      return freed;
    },
    sync() {
      trash.sync();
      back.sync();
    },
    tidy: (items) => trash.tidy(items),
  };
}

/** Whether what was written down of a piece is still so, looked at this moment. Folders are told by their files. */
export function isAsWritten(home: string, { files }: Pick<TakenPiece, 'files'>): boolean {
  return files.every(({ path, sizeBytes, modifiedAt }) => {
    const stat = lstatSync(join(home, path), { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size === sizeBytes && Math.floor(stat.mtimeMs) === modifiedAt;
  });
}
