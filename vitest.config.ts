import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** No test takes this long, but a loaded machine is slow, and a property that is held against millions of cases takes its time. */
const LONGEST_MS = process.env['COPPICE_TORTURE'] === undefined ? 300_000 : 3_600_000;

const TESTS = ['src/**/*.test.ts', 'test/**/*.test.ts'];

/** Files that measure what their whole process holds, its memory or its timers, which others would have added to. */
const ALONE = [
  'src/core/first-signal.test.ts',
  'src/gateway/cron/deliver.test.ts',
  'src/gateway/readers/usage-reader.test.ts',
  'src/platform/files/read-lines.test.ts',
  'test/gateway/meter.test.ts',
];

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
    testTimeout: LONGEST_MS,
    hookTimeout: LONGEST_MS,
    // One more than there are cores: many tests wait, for a process that they started, for a disk, for a lock.
    maxWorkers: availableParallelism() + 1,
    // No test may reach the home directory of the person who runs it.
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/run-directory.ts'],
    // Read once by each process, when its first database is opened.
    env: { SQLITE_USE_URI: '1' },
    // Nothing of the program or of the tests keeps state in a module, so one process runs file after file: to start a process and
    // load everything anew for each of them took a quarter of the run.
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: TESTS, exclude: [...configDefaults.exclude, ...ALONE], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
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
