import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcesses } from './end-processes.ts';
import { RUNS_VARIABLE } from './run-record.ts';

const started: ChildProcess[] = [];
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

/** A process that nobody would miss, with these runs in its environment. */
async function bystander(runs: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', 'echo ready; exec sleep 60'], {
    env: { PATH: process.env['PATH'], [RUNS_VARIABLE]: runs },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  started.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

describe.runIf(process.platform === 'linux')('what is left of a run', () => {
  it('is found by the whole id of the run, and by nothing less', async () => {
    const runId = randomUUID();
    const child = await bystander(`${randomUUID()} ${runId}`);
    for (const less of [runId.slice(0, -1), runId.slice(1), `${runId} `])
      expect(await endProcesses({ runId: less, graceMs: 0 })).toEqual({ count: 0, leftPids: [] });
    expect(child.signalCode).toBeNull();
    expect(await endProcesses({ runId, graceMs: 5000 })).toEqual({ count: 1, leftPids: [] });
  });
});
