import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.ts';
import { createManagerTeller } from './tell-manager.ts';

/** A program in the place of `systemd-notify` that notes what it is told to send, and where to. */
function notingProgram() {
  const folder = tempDir();
  const noted = join(folder, 'noted');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(noted, '');
  writeFileSync(join(folder, 'bin/systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${noted}'\n`, {
    mode: 0o755,
  });
  const read = () => readFileSync(noted, 'utf8').split('\n').filter(Boolean);
  return { path: `${join(folder, 'bin')}:${process.env['PATH']}`, read };
}

describe('what a service manager is told', () => {
  it('is that the daemon is ready, lives as often as a watchdog needs it, and ends', async () => {
    const { path, read } = notingProgram();
    let now = 0;
    const env = { PATH: path, NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '120000000', WATCHDOG_PID: '1' };
    const teller = createManagerTeller(env, () => now);
    // Agents of the daemon must not find where to tell.
    expect(env).toEqual({ PATH: path });
    teller.ready();
    await expect.poll(read, { timeout: 30_000 }).toEqual(['/run/notify READY=1']);
    for (; now < 60_000; now += 1000) teller.alive();
    const alive = '/run/notify WATCHDOG=1';
    await expect.poll(read, { timeout: 30_000 }).toEqual(['/run/notify READY=1', alive, alive]);
    teller.stopping();
    await expect.poll(read, { timeout: 30_000 }).toContain('/run/notify STOPPING=1');
  });

  it('is nothing where nobody asks, and a missing program harms nobody', () => {
    createManagerTeller({}, () => 0).ready();
    const teller = createManagerTeller({ PATH: '/nowhere', NOTIFY_SOCKET: '/run/notify' }, () => 0);
    teller.ready();
    teller.alive();
  });
});
