import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { ifPossible } from '../../platform/if-possible.ts';
import { isThere } from '../../platform/is-there.ts';
import { syncDir, writeFileAtomic } from '../../platform/private-files.ts';
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

/** The file at this path says that there are none. It is there only as long as that is certain. */
export function openTombstones(path: string): Tombstones {
  return {
    expect() {
      if (!isThere(path)) return;
      rmSync(path);
      syncDir(dirname(path));
    },
    async clear(hermes) {
      if (isThere(path)) return;
      await hermes.mergeAll();
      // Without it, the same is done again next time.
      ifPossible(() => writeFileAtomic(path, ''));
    },
  };
}
