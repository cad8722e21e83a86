import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** No test takes this long, but a loaded machine is slow, and a property that is held against millions of cases takes its time. */
const LONGEST_MS = process.env['COPPICE_TORTURE'] === undefined ? 300_000 : 3_600_000;

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^fast-check$/,
        replacement: fileURLToPath(new URL('test/support/seeded-fast-check.ts', import.meta.url)),
      },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: LONGEST_MS,
    hookTimeout: LONGEST_MS,
    // One more than there are cores: many tests wait, for a process that they started, for a disk, for a lock.
    maxWorkers: availableParallelism() + 1,
    // No test may reach the home directory of the person who runs it.
    setupFiles: ['test/setup.ts'],
    // Written to a file, so that a run ends with the summary of the tests.
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts', 'src/**/*.conformance.ts'],
      reporter: ['json-summary'],
      // Only what runs in the test's own process is counted: the built program runs in others.
      thresholds: { lines: 90, branches: 80 },
    },
  },
});
