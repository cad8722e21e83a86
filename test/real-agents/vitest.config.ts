import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Not part of the usual run: these tests need the agents themselves, which `npm run test:real-agents` installs. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/real-agents/**/*.real.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 300_000,
    // One agent at a time: some of them start slowly where others are at work.
    fileParallelism: false,
  },
});
