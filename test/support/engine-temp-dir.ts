import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that is gone when the test is, in memory where the system has that: for deaths that are not power cuts. */
export function tempDirInMemory(): string {
  const path = mkdtempSync(join(memoryDir(), 'coppice-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function memoryDir(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
