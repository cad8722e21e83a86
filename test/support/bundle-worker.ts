import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll } from 'vitest';

/**
 * The path of a worker of this folder, put together with all that it imports; gone when the tests of the file are. A process that
 * is killed by the hundred spends more than half of its life on finding its modules one by one.
 */
export async function bundleWorker(name: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'coppice-worker-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  await build({
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL(name, import.meta.url)),
      outDir: directory,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      rolldownOptions: {
        output: { entryFileNames: 'worker.mjs', chunkFileNames: '[name].mjs', paths: { 'better-sqlite3': SQLITE } },
      },
    },
  });
  return join(directory, 'worker.mjs');
}

/** Found from here, since there are no packages where the worker is put. */
const SQLITE = createRequire(import.meta.url).resolve('better-sqlite3');
