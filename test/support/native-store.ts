import type { SessionStore } from '../../src/core/stores/session-store.ts';
import type { TranscriptSink } from '../../src/core/sessions/transcript.ts';
import type { Clock } from '../../src/core/time.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { createTranscriptFiles } from '../../src/homes/native/transcript-files.ts';
import type { StorePlace } from '../../src/kit/store/store-desk.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { manualClock } from './clock.ts';
import { tempDir } from './temp-dir.ts';

export interface NativeStoreOptions {
  readonly clock?: Clock;
  /** By default the real files, for every source. */
  readonly transcripts?: TranscriptSink;
}

/** The embedded store with real transcripts in a home directory. The caller closes it. */
export function openNativeStore(root: string, options: NativeStoreOptions = {}): Promise<SessionStore> {
  const layout = nativeLayout(root);
  return openSqliteStore({
    path: layout.database,
    scratchDir: layout.root,
    clock: options.clock ?? manualClock(),
    transcripts: options.transcripts ?? createTranscriptFiles(layout, () => true),
  });
}

/** A place of its own for the embedded store, as the suites ask for one. */
export function nativeStorePlace(): StorePlace {
  const root = tempDir();
  return { open: ({ clock }) => openNativeStore(root, { clock }) };
}
