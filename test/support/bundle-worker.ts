import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { inject } from 'vitest';

/**
 * The path of a worker of this folder, put together with all that it imports; made once for all files of a run. A process that is
 * killed by the hundred spends more than half of its life on finding its modules one by one.
 */
export async function bundleWorker(name: string): Promise<string> {
  const shared = join(inject('runDirectory'), name);
  if (!existsSync(shared)) {
    const made = await bundle(name, mkdtempSync(`${shared}-`));
    try {
      renameSync(made, shared);
    } catch (error) {
      // Another file of the run was faster.
      if (!existsSync(shared)) throw error;
    }
  }
  return join(shared, 'worker.mjs');
}

async function bundle(name: string, directory: string): Promise<string> {
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
  return directory;
}

/** Found from here, since there are no packages where the worker is put. */
const SQLITE = createRequire(import.meta.url).resolve('better-sqlite3');
