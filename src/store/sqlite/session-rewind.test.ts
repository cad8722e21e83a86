import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { sessionRewindConformance } from '../session-rewind.conformance.ts';

sessionRewindConformance('the SQLite store', async () => {
  const root = mkdtempSync(join(tmpdir(), 'coppice-rewind-'));
  return {
    open: ({ clock }) => openNativeStore(root, { clock }),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }),
  };
});
