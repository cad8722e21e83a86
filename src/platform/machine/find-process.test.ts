import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { findBySignal, findInProc, findProcess, findWithPs } from './find-process.ts';
import { wait } from './wait.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const linux = process.platform === 'linux';
const finders = [
  ['findProcess', findProcess, true],
  ['findInProc', findInProc, linux],
  ['findWithPs', findWithPs, existsSync('/bin/ps') || existsSync('/usr/bin/ps')],
  ['findBySignal', findBySignal, true],
] as const;

describe.each(finders)('%s', (name, find, available) => {
  it.runIf(available)('finds a running process and misses it after it was killed', async () => {
    const { child, pid } = await start('console.log("up"); setInterval(() => {}, 1000)');
    expect(find(pid)).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(find(pid)).toBeUndefined();
  });

  it.runIf(available && linux && name !== 'findBySignal')('takes a zombie for gone', async () => {
    const zombie = await startZombie();
    expect(find(zombie)).toBeUndefined();
    expect(findBySignal(zombie)).toBeDefined();
  });
});

describe('findInProc', () => {
  it.runIf(linux)('reads the start time whatever the command is called', async () => {
    const { pid } = await start('process.title = "a) Z 1 (b"; console.log("up"); setInterval(() => {}, 1000)');
    expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain('(a) Z 1 (b)');
    const { startedAt = '' } = findInProc(pid) ?? {};
    const [uptimeSeconds = ''] = readFileSync('/proc/uptime', 'latin1').split(' ');
    expect(startedAt).toMatch(/^\d+$/);
    // Clock ticks since the machine started, 100 in a second: later than this process, not after now.
    expect(Number(startedAt)).toBeGreaterThanOrEqual(Number(findInProc(process.pid)?.startedAt));
    expect(Number(startedAt)).toBeLessThanOrEqual(Number(uptimeSeconds) * 100);
  });
});

describe.runIf(existsSync('/bin/ps') || existsSync('/usr/bin/ps'))('findWithPs', () => {
  it('tells the start time the same way in every language and time zone', () => {
    expect(findWithPs(process.pid)?.startedAt).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d+ \d\d:\d\d:\d\d \d{4}$/);
  });

  it('falls back to the number alone when ps cannot be run', () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    try {
      expect(findWithPs(process.pid)).toEqual({ startedAt: '' });
    } finally {
      process.env['PATH'] = path;
    }
  });
});

describe('findBySignal', () => {
  it('finds a process that belongs to someone else', () => {
    expect(findBySignal(1)).toEqual({ startedAt: '' });
  });
});

/** Runs a script and waits for its first output. */
async function start(script: string): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('The child did not start.');
  return { child, pid: child.pid };
}

/** A process that was killed while its parent, a shell that turned into `sleep`, never asks about it. */
async function startZombie(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(parent);
  const [output] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(output.toString());
  while (!readFileSync(`/proc/${parent.pid}/stat`, 'latin1').includes('(sleep)')) await wait(5);
  process.kill(pid, 'SIGKILL');
  while (!readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')) await wait(5);
  return pid;
}
