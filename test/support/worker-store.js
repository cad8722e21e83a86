// What worker processes open: the built code, since plain Node cannot run the sources.
import { nativeLayout } from '../../dist/homes/native/native-layout.js';
import { createTranscriptFiles } from '../../dist/homes/native/transcript-files.js';
import { systemClock } from '../../dist/platform/machine/system-clock.js';
import { openSqliteStore } from '../../dist/store/sqlite/sqlite-store.js';

export function openWorkerStore(root, sinkOf = (sink) => sink) {
  const layout = nativeLayout(root);
  return openSqliteStore({
    path: layout.database,
    scratchDir: layout.root,
    clock: systemClock,
    transcripts: sinkOf(
      createTranscriptFiles(layout, () => true),
      layout,
    ),
  });
}
