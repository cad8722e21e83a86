import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // On two cores vitest would run one file after the other: it leaves one core to itself.
    maxWorkers: '100%',
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
