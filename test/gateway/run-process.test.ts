import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeOrphanRuns } from '../../src/gateway/run/close-orphan-runs.ts';
import { RUNS_VARIABLE, type RunRecord } from '../../src/gateway/run/run-record.ts';
import type { RunResult } from '../../src/gateway/run/run-result.ts';
import { groupMembers, processesMarked } from '../../src/platform/machine/process-group.ts';
import { currentProcess } from '../../src/platform/machine/process-identity.ts';
import { collect } from '../support/collect.ts';
import { AGENTS } from '../support/run-collector.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../dist/gateway/run/supervise-run.js')).href;

interface Said {
  readonly record?: RunRecord;
  readonly event?: unknown;
  readonly result?: RunResult;
  readonly chunks?: number;
  readonly peakKilobytes?: number;
}

/** A supervisor in a process of its own, and what it says. */
function startSupervisor(
  command: string,
  args: readonly string[],
): { process: ChildProcess; said: AsyncIterable<Said> } {
  const supervisor = spawn(process.execPath, [join(AGENTS, 'supervisor.js'), MODULE, command, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void supervisor.kill('SIGKILL'));
  return { process: supervisor, said: parseLines(supervisor) };
}

async function* parseLines({ stderr }: ChildProcess): AsyncGenerator<Said> {
  if (stderr === null) return;
  for await (const line of createInterface({ input: stderr })) yield JSON.parse(line) as Said;
}

/** Starts a stubborn run and kills its supervisor, as a crash would. */
async function orphanedRun(): Promise<RunRecord> {
  const { process: supervisor, said } = startSupervisor(process.execPath, [join(AGENTS, 'stubborn.js')]);
  let record: RunRecord | undefined;
  for await (const { record: saved, event } of said) {
    record = saved ?? record;
    // Both processes of the run hear no polite request any more, that of its guard either.
    if (event === undefined || record?.child === undefined) continue;
    supervisor.kill('SIGKILL');
    await once(supervisor, 'exit');
    return record;
  }
  throw new Error('The supervisor said nothing.');
}

describe('a supervisor', () => {
  it('shows 200 MB in little memory and records them in few rows', async () => {
    const { said } = startSupervisor(process.execPath, [join(AGENTS, 'flood.js'), '200']);
    const last = (await collect(said)).at(-1);
    expect(last?.result?.stats.outputBytes).toBe(200 * 1024 * 1024);
    expect(last?.result?.exitStatus).toBe(0);
    expect(last?.peakKilobytes).toBeLessThan(150_000);
    expect(last?.chunks).toBeLessThan(1500);
  });

  it('can be killed: the next start ends what it left and reports it', async () => {
    const record = await orphanedRun();
    const removed: string[] = [];
    const records = { remove: async (runId: string) => void removed.push(runId) };
    const runs = await collect(closeOrphanRuns([record], { records, stopGraceMs: 50 }));
    expect(runs).toEqual([{ record, status: 'closed', endedProcesses: 2, leftPids: [] }]);
    expect(removed).toEqual([record.runId]);
    expect([...groupMembers(record.child?.pid ?? 0), ...processesMarked(record.runId)]).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'can be killed: what it ran is ended by itself, soon and politely',
    async () => {
      // Some agents start a server that leaves their process group.
      const script = 'setsid sleep 300 & sleep 300 & exec sleep 300';
      const { process: supervisor, said } = startSupervisor('sh', ['-c', script]);
      let runId = '';
      for await (const { record } of said) {
        runId = record?.runId ?? '';
        if (record?.child !== undefined) break;
      }
      await expect.poll(() => processesMarked(runId).length, { timeout: 30_000 }).toBe(3);
      supervisor.kill('SIGKILL');
      await expect.poll(() => processesMarked(runId), { timeout: 30_000 }).toEqual([]);
    },
  );

  it('is left alone while it lives, and where nothing can be known of it', async () => {
    const self = currentProcess();
    const live: RunRecord = { runId: 'a', sessionId: 's', supervisor: self, child: self };
    const elsewhere: RunRecord = { ...live, runId: 'b', supervisor: { ...self, host: 'another machine' } };
    const records = { remove: () => Promise.reject(new Error('nothing is to be forgotten')) };
    const runs = await collect(closeOrphanRuns([live, elsewhere], { records, stopGraceMs: 0 }));
    expect(runs.map(({ status }) => status)).toEqual(['running', 'elsewhere']);
  });

  it('is not closed from inside its own run', async () => {
    process.env[RUNS_VARIABLE] = 'outer inner';
    onTestFinished(() => void delete process.env[RUNS_VARIABLE]);
    const supervisor = { ...currentProcess(), startedAt: 'long ago' };
    const records = { remove: () => Promise.reject(new Error('nothing is to be forgotten')) };
    const recorded = [{ runId: 'outer', sessionId: 's', supervisor }];
    const runs = await collect(closeOrphanRuns(recorded, { records, stopGraceMs: 0 }));
    expect(runs).toMatchObject([{ status: 'running', endedProcesses: 0 }]);
  });

  it('never takes another process for a child whose number it has', async () => {
    const bystander = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    await once(bystander, 'spawn');
    const dead = { ...currentProcess(), startedAt: 'long ago' };
    const record: RunRecord = {
      runId: 'no process has this',
      sessionId: 's',
      supervisor: dead,
      child: { ...dead, pid: bystander.pid ?? 0 },
    };
    const records = { remove: () => Promise.resolve() };
    const runs = await collect(closeOrphanRuns([record], { records, stopGraceMs: 0 }));
    expect(runs).toMatchObject([{ status: 'closed', endedProcesses: 0 }]);
    expect(groupMembers(bystander.pid ?? 0)).toHaveLength(1);
  });
});
