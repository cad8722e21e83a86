import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BIN, coppice, sandbox } from './run-coppice.ts';

const root = sandbox();
const hasSystemd = existsSync('/run/systemd/system');

function place(name: string) {
  const folder = join(root, name);
  mkdirSync(folder);
  const home = join(folder, 'my home 100%');
  const file = join(folder, 'config/systemd/user/coppice.service');
  const env = { XDG_CONFIG_HOME: join(folder, 'config') };
  const run = (...args: string[]) => coppice(home, ['service', ...args], { env });
  return { folder, home, file, run };
}

describe.runIf(process.platform === 'linux')('coppice service', () => {
  it('writes a unit that systemd takes, says what to type next, and takes exactly that away again', async () => {
    const { folder, home, file, run } = place('whole');
    const installed = await run('install', '--force', '--port', '8123');
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    expect(installed.stdout).toContain(`Wrote ${file}\nIt serves ${home}, and is started again when it fails.\n`);
    expect(installed.stdout).toContain('Nothing was started. Type next:\n  systemctl --user daemon-reload\n');
    const unit = readFileSync(file, 'utf8');
    const words = [process.execPath, BIN, 'serve', '--home', home.replace('%', '%%'), '--port', '8123'];
    expect(unit).toContain(`\nExecStart=${words.map((word) => `"${word}"`).join(' ')}\n`);
    expect((await run('status')).stdout).toContain(`${file} is as Coppice wrote it.\n`);
    expect((await run('install', '--force', '--port', '8123')).stdout).toContain('it is already as it should be');
    expect((await run('install', '--force')).stdout).toContain(`Replaced ${file}`);
    expect((await run('remove')).stdout).toContain(`Removed ${file}\n`);
    expect(readdirSync(join(folder, 'config/systemd/user'))).toEqual([]);
    expect((await run('remove')).stdout).toContain('nothing is installed');
    expect(existsSync(home)).toBe(false);
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('is verified by systemd itself', async () => {
    const { home, file, run } = place('verified');
    mkdirSync(home);
    await run('install', '--force');
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root, XDG_RUNTIME_DIR: root },
    });
    expect(stderr.split('\n').filter((line) => line.includes('coppice.service'))).toEqual([]);
    // Without a manager at hand it fails for reasons of its own; what it says of the unit is what counts.
    expect(status).not.toBeNull();
  });

  it('leaves what a person changed or wrote', async () => {
    const { file, run } = place('edited');
    await run('install', '--force');
    writeFileSync(file, readFileSync(file, 'utf8').replace('RestartSec=5', 'RestartSec=60'));
    for (const command of ['remove', 'install']) {
      const { code, stderr } = await run(command, ...(command === 'install' ? ['--force'] : []));
      expect(code).toBe(5);
      expect(stderr).toContain('was changed since Coppice wrote it, so it stays as it is.');
    }
    expect(readFileSync(file, 'utf8')).toContain('RestartSec=60');
    writeFileSync(file, '[Service]\nExecStart=/bin/true\n');
    expect(await run('remove')).toMatchObject({ code: 5 });
    expect((await run('status')).stdout).toContain('was not written by Coppice');
  });

  it('does not take the file from under a service that is started by itself', async () => {
    const { folder, file, run } = place('enabled');
    await run('install', '--force');
    mkdirSync(join(folder, 'config/systemd/user/default.target.wants'));
    symlinkSync(file, join(folder, 'config/systemd/user/default.target.wants/coppice.service'));
    const { code, stderr } = await run('remove');
    expect(code).toBe(5);
    expect(stderr).toContain('Stop it first: systemctl --user disable --now coppice.service');
    expect(existsSync(file)).toBe(true);
    expect((await run('status')).stdout).toContain('It is started by itself.');
  });

  it.skipIf(hasSystemd)('writes nothing where systemd does not run, unless told', async () => {
    const { folder, run } = place('nowhere');
    const { code, stderr } = await run('install');
    expect(code).toBe(1);
    expect(stderr).toContain('systemd does not run on this machine, so nothing was written.');
    const shown = await run('install', '--dry-run');
    expect(shown.stdout).toMatch(/^\[Unit\]\n/);
    expect(existsSync(join(folder, 'config'))).toBe(false);
  });
});
