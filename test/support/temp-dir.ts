import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory of its own for the test that asks, gone when the test is. */
export function tempDir(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-test-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
