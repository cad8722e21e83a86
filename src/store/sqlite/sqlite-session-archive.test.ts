import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNativeStore } from '../../../test/support/native-store.ts';
import { sessionArchiveConformance } from '../session-archive.conformance.ts';

sessionArchiveConformance('the SQLite store', async () => {
  const root = mkdtempSync(join(tmpdir(), 'coppice-archive-'));
  return {
    open: ({ clock }) => openNativeStore(root, { clock }),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }),
  };
});
