import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNS_VARIABLE } from '../../src/gateway/run/run-record.ts';
import { processesMarked } from '../../src/platform/machine/process-group.ts';
import { coppiceJson, finished, sandbox, start } from '../e2e/run-coppice.ts';

const root = sandbox();

/** An agent under `coppice run` that notes when it is there and when it is asked to end. */
async function startRun(onAsked: string) {
  const mark = randomUUID();
  const cwd = join(root, mark);
  mkdirSync(cwd);
  const home = join(cwd, 'home');
  const script = `trap '>asked; ${onAsked}' TERM; >ready; while true; do sleep 0.05; done`;
  const supervisor = start(home, ['run', '--', 'sh', '-c', script], { cwd, env: { [RUNS_VARIABLE]: mark } });
  const noted = (name: string) =>
    expect.poll(() => existsSync(join(cwd, name)), { timeout: 30_000, interval: 10 }).toBe(true);
  await noted('ready');
  return { home, mark, supervisor, end: finished(supervisor), noted };
}

describe.concurrent('coppice run', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends its agent politely at %s', async (signal) => {
    const { home, mark, supervisor, end } = await startRun('exit 0');
    supervisor.kill(signal);
    expect((await end).code).toBe(130);
    expect(processesMarked(mark)).toEqual([]);
    const { sessions } = await coppiceJson<{ sessions: readonly object[] }>(home, ['sessions', 'list']);
    expect(sessions).toMatchObject([{ endReason: 'interrupted' }]);
  });

  it('takes its agent along when a second Ctrl-C ends it at once', async () => {
    const { mark, supervisor, end, noted } = await startRun('true');
    supervisor.kill('SIGINT');
    await noted('asked');
    supervisor.kill('SIGINT');
    expect((await end).code).toBe(130);
    await expect.poll(() => processesMarked(mark), { timeout: 30_000 }).toEqual([]);
  });
});
