import { expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { coppice } from './run-coppice.ts';

it('run --json prints one document about the run, and what the agent prints goes to stderr', async () => {
  const home = tempDir();
  const { code, stdout, stderr } = await coppice(home, [
    'run',
    '--json',
    '--',
    'sh',
    '-c',
    'echo from the agent; exit 3',
  ]);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    outcome: 'exited',
    exitStatus: 3,
    exitCode: 3,
    session: { source: 'run', endReason: expect.any(String) },
    used: { tokens: 0, costUsd: 0 },
    outputBytes: 'from the agent\n'.length,
  });
  expect(stderr).toBe('from the agent\n');
});
