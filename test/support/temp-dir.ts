import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** How long it may take to remove what a test left. */
export const REMOVAL_LIMIT_MS = 120_000;

/** A directory of its own for the test that asks, gone when the test is. Not for tests that run at once with others of their file. */
export function tempDir(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-test-')));
  // Some tests leave 200 000 files behind.
  onTestFinished(() => rmSync(path, { recursive: true, force: true }), REMOVAL_LIMIT_MS);
  return path;
}
