import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProcess } from './find-process.ts';
import { groupMembers, processesMarked, signalGroup, signalProcess } from './process-group.ts';

/** A group of two processes, ended with the test. */
async function startGroup(mark: string): Promise<{ leader: ChildProcess; group: number }> {
  const env = { ...process.env, MARK: mark };
  const leader = spawn('sh', ['-c', 'sleep 300 & echo ready; wait'], {
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const group = leader.pid ?? 0;
  onTestFinished(() => void signalGroup(group, 'SIGKILL'));
  if (leader.stdout !== null) await once(leader.stdout, 'data');
  return { leader, group };
}

describe('a process group', () => {
  it('has its members, and none once it was killed', async () => {
    const { leader, group } = await startGroup('a');
    expect(groupMembers(group).map(({ pid }) => pid)).toContain(group);
    const members = groupMembers(group);
    expect(members).toHaveLength(2);
    expect(signalGroup(group, 'SIGKILL')).toBe(true);
    await once(leader, 'exit');
    await expect.poll(() => groupMembers(group)).toEqual([]);
    await expect.poll(() => members.filter(({ pid }) => findProcess(pid) !== undefined)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is found by what is in the environment of its members', async () => {
    const mark = `mark-${process.pid}-${Date.now()}`;
    const { group } = await startGroup(mark);
    const pids = groupMembers(group).map(({ pid }) => pid);
    expect(processesMarked(mark).map(({ pid }) => pid)).toEqual(pids);
    expect(processesMarked(`${mark}-other`)).toEqual([]);
    expect(processesMarked('')).toEqual([]);
  });

  it.each([0, 1, -1, -5, Number.NaN])('is never %d, which means other processes', (group) => {
    expect(signalGroup(group, 0)).toBe(false);
    expect(groupMembers(group)).toEqual([]);
  });

  it('never signals a later process of the same number', async () => {
    const { group } = await startGroup('b');
    expect(signalProcess({ pid: group, startedAt: 'long ago' }, 'SIGKILL')).toBe(false);
    const startedAt = findProcess(group)?.startedAt ?? '';
    expect(signalProcess({ pid: group, startedAt }, 'SIGKILL')).toBe(true);
  });
});
