import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { SessionStore } from '../../core/sessions/session-store.ts';
import type { Clock } from '../../core/time.ts';
import type { NativeLayout } from '../../homes/native/native-layout.ts';
import { makePrivateDir } from '../../platform/files/private-files.ts';
import { freeBytes } from '../../platform/machine/file-system-facts.ts';
import { IN_MEMORY } from '../../store/sqlite/database/connection.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';

/** Coppice's own records about a home of another agent: runs, the trash, the archive and the ledger. */
export interface Companion {
  /** The records. Empty ones that are never written stand in until there are any: looking leaves no trace. */
  store(): SessionStore;
  /** Makes the place for them where there is none yet. */
  create(): Promise<void>;
}

export interface OpenCompanion {
  readonly clock: Clock;
  /** They are closed soon: on a full disk others may wait for that. */
  readonly brief?: boolean;
}

export async function openCompanion(layout: NativeLayout, { clock, brief = false }: OpenCompanion): Promise<Companion> {
  const records = (path: string) =>
    openSqliteStore({
      path,
      scratchDir: layout.root,
      clock,
      brief,
      transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
    });
  let there = existsSync(layout.database);
  let store = await records(there ? layout.database : IN_MEMORY);
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
