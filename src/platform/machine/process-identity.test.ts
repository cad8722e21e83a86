import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { findProcess } from './find-process.ts';
import { currentProcess, processState } from './process-identity.ts';

describe('currentProcess', () => {
  it('is the same whenever it is asked', () => {
    expect(currentProcess()).toEqual(currentProcess());
    expect(currentProcess()).toMatchObject({ host: hostname(), pid: process.pid });
  });

  it.runIf(process.platform === 'linux')('names the boot, the process namespace and the start on Linux', () => {
    const { bootId, pidNamespace, startedAt } = currentProcess();
    expect(bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(pidNamespace).toMatch(/^pid:\[\d+\]$/);
    expect(startedAt).toMatch(/^\d+$/);
  });
});

describe('processState', () => {
  const self = currentProcess();

  it('says that this process is alive', () => {
    expect(processState(self)).toBe('alive');
  });

  it('says that another process is alive until it is killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const identity = { ...self, pid, startedAt: findProcess(pid)?.startedAt ?? '' };
    expect(processState(identity)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processState(identity)).toBe('dead');
  });

  it.runIf(self.startedAt !== '')('says dead when the number now belongs to another process', () => {
    expect(processState({ ...self, startedAt: '1' })).toBe('dead');
  });

  it('trusts the number alone when the start was never known', () => {
    expect(processState({ ...self, startedAt: '' })).toBe('alive');
  });

  it.runIf(self.bootId !== '')(
    'does not guess about another boot: a machine of the same name may share the home',
    () => {
      expect(processState({ ...self, bootId: 'another-boot' })).toBe('unknown');
    },
  );

  it.runIf(self.bootId !== '')('does not guess when the boot was not recorded', () => {
    expect(processState({ ...self, bootId: '' })).toBe('unknown');
  });

  it('does not guess about another machine, whatever its boot', () => {
    expect(processState({ ...self, host: 'elsewhere' })).toBe('unknown');
    expect(processState({ ...self, host: 'elsewhere', bootId: 'another-boot' })).toBe('unknown');
  });

  it('does not guess about another container', () => {
    expect(processState({ ...self, pidNamespace: 'pid:[1]' })).toBe('unknown');
  });
});
