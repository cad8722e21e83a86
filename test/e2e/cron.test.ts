import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../capture-io.ts';
import { endDaemon, startDaemon } from '../http/daemon-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A folder in which somebody types, with a home beside it. */
function desk() {
  const root = tempDir();
  const [home, cwd] = [join(root, 'home'), join(root, 'project')];
  for (const path of [home, cwd]) mkdirSync(path, { mode: 0o700 });
  const type = async (...words: readonly string[]) => {
    const { io, out, err } = captureIo({
      cwd,
      env: { PATH: process.env['PATH'] ?? '', COPPICE_HOME: home },
      now: Date.now,
    });
    return { code: await main(words, io), stdout: out(), stderr: err() };
  };
  return { home, cwd, type };
}

async function webhook() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push((JSON.parse(Buffer.concat(chunks).toString()) as { output: string }).output);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const contentOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

describe('coppice cron', () => {
  it('adds a job that the daemon runs, whose output arrives in a file, by webhook and at a command', {
    timeout: 60_000,
  }, async () => {
    const { home, cwd, type } = desk();
    const hook = await webhook();
    const to = ['--to-file', 'out/{job}.txt', '--to-webhook', hook.url, '--to-command', 'tr a-z A-Z > shouted'];
    const command = ['sh', '-c', 'echo from $(basename "$PWD")'];
    const added = await type('cron', 'add', 'report', '--schedule', '* * * * * *', ...to, '--', ...command);
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Added report\. It runs next at /) as string,
    });
    const daemon = await startDaemon(home);
    await expect.poll(() => hook.received[0], { timeout: 50_000 }).toBe('from project\n');
    await expect.poll(() => contentOf(join(cwd, 'out', 'report.txt'))).toBe('from project\n');
    await expect.poll(() => contentOf(join(cwd, 'shouted'))).toBe('FROM PROJECT\n');
    const { stdout } = await type('cron', 'list');
    expect(stdout).toMatch(/file, webhook, command +command +sh -c 'echo from \$\(basename "\$PWD"\)'\n/);
    expect(await endDaemon(daemon, 'SIGTERM')).toBe(0);
  });

  it('runs a job by hand and says why it failed, also when nothing of it is left to look at', async () => {
    const { type } = desk();
    await type('cron', 'add', 'typo', '--schedule', '@daily', '--', 'no-such-agent');
    const typo = await type('cron', 'run', 'typo');
    expect(typo).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/: failed\. There is no command no-such-agent\.\n$/) as string,
    });
    const [, look = ''] = /See what happened with: coppice (.*)/.exec(typo.stderr) ?? [];
    expect((await type(...look.split(' '))).code).toBe(0);
    await type('cron', 'add', 'sent', '--schedule', '@daily', '--to-file', 'x', '--', 'sh', '-c', 'exit 3');
    expect(await type('cron', 'run', 'sent')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/: failed\. It ended with exit code 3\.\n$/) as string,
      stderr: expect.stringMatching(/^4 MB are kept as a reserve from now on, .*\n$/) as string,
    });
  });

  it('takes no path that would lead elsewhere on another day', async () => {
    const { home, type } = desk();
    const job = '{schedule: "@daily", command: ["true"], deliver: [{file: out.txt}]}';
    const { code, stdout } = await type('config', 'check', '--home', home, '--set', `cron.jobs={a: ${job}}`);
    expect([code, stdout]).toEqual([2, expect.stringContaining('Write the whole path')]);
  });
});
