import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../core/failure.ts';
import type { SessionStore } from '../core/stores/session-store.ts';
import { makePrivateDir } from '../platform/files/private-files.ts';
import { freeBytes } from '../platform/machine/file-system-facts.ts';
import type { OwnLayout } from './own-layout.ts';

/** Coppice's own records about a home of another agent: runs, the trash, the archive and the ledger. */
export interface Companion {
  /** The records. Empty ones that are never written stand in until there are any: looking leaves no trace. */
  store(): SessionStore;
  /** Makes the place for them where there is none yet. */
  create(): Promise<void>;
}

/** Opens the records that lie at a path, or empty ones that are never written. */
export type CompanionStore = (path: string | undefined) => Promise<SessionStore>;

export async function openCompanion(layout: OwnLayout, records: CompanionStore): Promise<Companion> {
  let there = existsSync(layout.database);
  let store = await records(there ? layout.database : undefined);
  return {
    store: () => store,
    async create() {
      if (there) return;
      refuseWithoutRoom(layout.root);
      makePrivateDir(layout.root);
      const made = await records(layout.database);
      await store[Symbol.asyncDispose]();
      store = made;
      there = true;
    },
  };
}

/** What empty records take, and the log while they are made. */
const ROOM_BYTES = 2 * 1024 * 1024;

/** Records that are only half made would have to be finished by whoever looks at the home, and a full disk does not let them. */
function refuseWithoutRoom(root: string): void {
  if (freeBytes(dirname(root)) >= ROOM_BYTES) return;
  throw new Failure(
    'failed',
    `There is no space left on the disk that holds ${dirname(root)}: 2 MB are needed to begin.`,
    {
      hint: 'Nothing was changed: Coppice writes down what it removes before it does. Free that much first; what is largest shows: coppice status',
    },
  );
}
