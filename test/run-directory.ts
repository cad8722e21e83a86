import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { stopPostgresServer } from './support/stop-postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that all files of a run share, for what is made once; gone when the run is. */
    readonly runDirectory: string;
  }
}

/** Makes the directory before the first file of the run, and removes it after the last. */
export function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  project.provide('runDirectory', directory);
  return () => {
    stopPostgresServer(directory);
    rmSync(directory, { recursive: true, force: true });
  };
}
