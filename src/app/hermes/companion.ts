import { existsSync } from 'node:fs';
import type { SessionStore } from '../../core/session-store.ts';
import type { Clock } from '../../core/time.ts';
import type { NativeLayout } from '../../homes/native/native-layout.ts';
import { makePrivateDir } from '../../platform/private-files.ts';
import { IN_MEMORY } from '../../store/sqlite/connection.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';

/** Coppice's own records about a home of another agent: runs, the trash, the archive and the ledger. */
export interface Companion {
  /** The records. Empty ones that are never written stand in until there are any: looking leaves no trace. */
  store(): SessionStore;
  /** Makes the place for them where there is none yet. */
  create(): Promise<void>;
}

export async function openCompanion(layout: NativeLayout, clock: Clock): Promise<Companion> {
  const records = (path: string) =>
    openSqliteStore({
      path,
      scratchDir: layout.root,
      clock,
      transcripts: { write: ({ mark }) => ({ mark, problems: [] }) },
    });
  let there = existsSync(layout.database);
  let store = await records(there ? layout.database : IN_MEMORY);
  return {
    store: () => store,
    async create() {
      if (there) return;
      makePrivateDir(layout.root);
      const made = await records(layout.database);
      await store[Symbol.asyncDispose]();
      store = made;
      there = true;
    },
  };
}
