import { rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openBelow } from '../../../platform/files/directory-handle.ts';
import { writeFileAtomic } from '../../../platform/files/private-files.ts';
import { ifPossible } from '../../../platform/if-possible.ts';
import type { HermesWriter } from './hermes-writer.ts';

/**
 * What a deleted message leaves in the search indexes until they are merged. Since version 3.44, SQLite forgets that anything
 * lies below a message that came back when it merges that with its own tombstone; the older one of many a Hermes relies on it and
 * would revive the oldest entry with its next delete. So no message comes back while an index may hold its tombstone.
 */
export interface Tombstones {
  /** Before messages go. Durable. */
  expect(): void;
  /** Before messages come back: merges every index into one part, unless nothing of ours went since that was done. */
  clear(hermes: Pick<HermesWriter, 'mergeAll'>): Promise<void>;
}

/** The file at this path, in the home, says that there are none. It is there only as long as that is certain. */
export function openTombstones(home: string, path: string): Tombstones {
  const name = basename(path);
  return {
    expect() {
      using folder = openBelow(home, dirname(path));
      if (folder?.look(name) === undefined) return;
      rmSync(folder.at(name));
      folder.sync();
    },
    async clear(hermes) {
      using folder = openBelow(home, dirname(path), { create: true });
      if (folder.look(name) !== undefined) return;
      await hermes.mergeAll();
      // Without it, the same is done again next time.
      ifPossible(() => writeFileAtomic(folder.at(name), ''));
    },
  };
}
