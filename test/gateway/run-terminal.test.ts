import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { RUNS_VARIABLE } from '../../src/gateway/run/run-record.ts';
import { processesMarked } from '../../src/platform/machine/process-group.ts';
import { BIN, coppice, coppiceJson, sandbox } from '../e2e/run-coppice.ts';
import { AGENTS } from '../support/run-collector.ts';
import { hasTerminals, openTerminal } from '../support/terminal.ts';

const root = sandbox();
const ESC = '\u001b';

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly mark: string;
  readonly env: Record<string, string | undefined>;
}

/** A folder, a home in it, and an environment that marks every process that is started there. */
function place(more: Record<string, string> = {}): Place {
  const mark = randomUUID();
  const cwd = join(root, mark);
  mkdirSync(cwd);
  const home = join(cwd, 'home');
  const own = { PATH: process.env['PATH'], HOME: cwd, COPPICE_HOME: home, TERM: 'xterm-256color', TZ: 'UTC' };
  return { cwd, home, mark, env: { ...own, SHELL: '/bin/sh', [RUNS_VARIABLE]: mark, ...more } };
}

const AGENT = [process.execPath, join(AGENTS, 'screen.js')];

/** `coppice run` in front of a person. */
function runInTerminal(where: Place, options: readonly string[] = [], agent: readonly string[] = AGENT) {
  return openTerminal([process.execPath, BIN, 'run', ...options, '--', ...agent], where);
}

/** What was recorded of the only session, and how it ended. */
async function recorded(home: string): Promise<{ text: string; endReason: string | undefined }> {
  const { sessions } = await coppiceJson<{ sessions: readonly { id: string; endReason?: string }[] }>(home, [
    'sessions',
    'list',
  ]);
  const [session] = sessions;
  const { stdout } = await coppice(home, ['sessions', 'tail', session?.id ?? '', '-n', '1000', '--json']);
  const lines = stdout.trim() === '' ? [] : stdout.trim().split('\n');
  const text = lines.map((line) => (JSON.parse(line) as { content: string }).content).join('');
  return { text, endReason: session?.endReason };
}

describe.runIf(hasTerminals).concurrent('coppice run in a terminal', () => {
  it('gives the agent a terminal of the same size, and records what it shows', async ({ expect }) => {
    const where = place();
    const terminal = runInTerminal(where);
    await terminal.shows('terminals true true true size 80x24 lines unset');
    terminal.type('größe 日本\r');
    await terminal.shows('told größe 日本');
    terminal.resize(40, 132);
    await terminal.shows('resized 132x40');
    terminal.type('exit 7\r');
    expect(await terminal.ended).toEqual({ code: 7, sameMode: true });
    expect(terminal.shown()).toMatch(/\r\ncoppice: Session .*printed\.\r\n$/);
    const { text, endReason } = await recorded(where.home);
    expect(endReason).toBe('failed: exit 7');
    const agentShowed = terminal.shown().slice(0, terminal.shown().indexOf('coppice: Session'));
    expect(text).toBe(agentShowed);
    expect(processesMarked(where.mark)).toEqual([]);
  });

  it('passes keys and Ctrl-C to the agent, and is not interrupted itself', async ({ expect }) => {
    const where = place();
    const terminal = runInTerminal(where);
    await terminal.shows('terminals true');
    terminal.type('\u0003');
    await terminal.shows('interrupted');
    terminal.type('raw\r');
    await terminal.shows(`${ESC}[?1049h`);
    terminal.type(`${ESC}[A`);
    await terminal.shows('key "\\u001b[A"');
    terminal.type('\u0003');
    await terminal.shows('key "\\u0003"');
    terminal.type('q');
    await terminal.shows(`${ESC}[?1049l`);
    terminal.type('exit 0\r');
    expect(await terminal.ended).toEqual({ code: 0, sameMode: true });
    expect((await recorded(where.home)).endReason).toBe('done');
  });

  it('stops an agent at its limit, and says why on an ordinary screen', async ({ expect }) => {
    const where = place();
    const terminal = runInTerminal(where, ['--max-iterations', '1']);
    await terminal.shows('terminals true');
    terminal.type('raw\r');
    await terminal.shows(`${ESC}[?1049h`);
    terminal.type('s');
    terminal.type('s');
    expect(await terminal.ended).toEqual({ code: 124, sameMode: true });
    expect(terminal.shown()).toMatch(/\[\?1049l.*coppice: Stopped\. .*1 step/s);
    expect(processesMarked(where.mark)).toEqual([]);
  });

  it('takes back what a killed agent did to the screen', async ({ expect }) => {
    const where = place();
    const terminal = runInTerminal(where, [], ['sh', '-c', String.raw`printf '\033[?1049h\033[?25lup'; kill -9 $$`]);
    expect(await terminal.ended).toEqual({ code: 137, sameMode: true });
    expect(terminal.shown()).toContain(`up${ESC}[?25h${ESC}[?1049l${ESC}[0mcoppice: Session`);
    expect((await recorded(where.home)).endReason).toBe('failed: SIGKILL');
  });

  it('says its last words below the picture that an agent was killed in', async ({ expect }) => {
    const where = place();
    const drawn = String.raw`printf 'top\nmiddle\nbottom\n\033[2A\033[5G'; kill -9 $$`;
    const terminal = runInTerminal(where, [], ['sh', '-c', drawn]);
    expect(await terminal.ended).toEqual({ code: 137, sameMode: true });
    expect(terminal.shown()).toContain(`${ESC}[2A${ESC}[5G${ESC}[2B\rcoppice: Session`);
  });

  it('stops one that floods its terminal', async ({ expect }) => {
    const where = place();
    // So little that a terminal of a loaded machine shows it within the minute too.
    mkdirSync(where.home, { mode: 0o700 });
    writeFileSync(join(where.home, 'config.yaml'), 'guards: { mb_per_minute: 2 }\n', { mode: 0o600 });
    const terminal = runInTerminal(where);
    await terminal.shows('terminals true');
    terminal.type('flood\r');
    expect(await terminal.ended).toEqual({ code: 124, sameMode: true });
    expect(terminal.shown().slice(-2000)).toMatch(/coppice: Stopped\. .*too fast/);
  });

  it('ends the agent when its terminal is closed', async ({ expect }) => {
    const where = place();
    const terminal = runInTerminal(where);
    await terminal.shows('terminals true');
    terminal.close();
    await terminal.ended;
    await expect.poll(() => processesMarked(where.mark), { timeout: 30_000 }).toEqual([]);
    expect((await recorded(where.home)).endReason).toBe('interrupted');
  });

  it('keeps standard error apart where it goes to a file, and pipes where stdout does', async ({ expect }) => {
    const where = place();
    const line = `"$0" "$1" run -- "$0" "$2" 2>errors; "$0" "$1" run -- "$0" "$2" | cat`;
    const terminal = openTerminal(['sh', '-c', line, process.execPath, BIN, join(AGENTS, 'screen.js')], where);
    await terminal.shows('terminals true true false size');
    terminal.type('fail in a file\r');
    terminal.type('exit 0\r');
    await terminal.shows('terminals true false false');
    terminal.type('exit 0\r');
    expect((await terminal.ended).code).toBe(0);
    expect(readFileSync(join(where.cwd, 'errors'), 'utf8')).toMatch(/^in a file\ncoppice: /);
  });

  it('says that there is no such command as it does elsewhere', async ({ expect }) => {
    const where = place();
    const terminal = runInTerminal(where, [], ['no-such-agent']);
    expect(await terminal.ended).toEqual({ code: 2, sameMode: true });
    expect(terminal.shown()).toContain('There is no command no-such-agent.');
  });

  it('gives the agent the terminal itself where none can be made, watches it, and says so', async ({ expect }) => {
    const bin = join(root, randomUUID());
    mkdirSync(bin);
    for (const name of ['sh', 'stty', 'tty', 'mkfifo', 'python3', 'sleep']) {
      symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(bin, name));
    }
    writeFileSync(join(bin, 'script'), '#!/bin/sh\necho "script: out of terminals" >&2; exit 1\n', { mode: 0o755 });
    const where = place();
    const command = [
      '/usr/bin/env',
      `PATH=${bin}`,
      process.execPath,
      BIN,
      'run',
      '--max-iterations',
      '1',
      '--',
      ...AGENT,
    ];
    const terminal = openTerminal(command, where);
    await terminal.shows('No terminal could be made for the agent (script: out of terminals), so it gets yours');
    await terminal.shows('terminals true true true size 80x24');
    terminal.type('\u0003');
    await terminal.shows('interrupted');
    terminal.type('step\r');
    terminal.type('step\r');
    expect(await terminal.ended).toEqual({ code: 124, sameMode: true });
    expect(terminal.shown()).toContain('coppice: Stopped.');
    expect((await recorded(where.home)).text).toBe('');
    expect(processesMarked(where.mark)).toEqual([]);
  });

  it('is stopped by Ctrl-Z with its agent, and goes on with it', async ({ expect }) => {
    const where = place({ ENV: '' });
    const terminal = openTerminal(['sh', '-i'], where);
    await terminal.shows(/[#$] $/);
    const line = [process.execPath, BIN, 'run', '--', ...AGENT].join(' ');
    terminal.type(`${line}\r`);
    await terminal.shows('terminals true true true');
    terminal.type('\u001a');
    await terminal.shows(/Stopped|suspended/);
    terminal.type('stty -a | tr " ;" "\\n" | grep -x icanon\r');
    await terminal.shows(/\nicanon/);
    terminal.type('fg\r');
    terminal.type('hello\r');
    await terminal.shows('told hello');
    terminal.type('exit 0\r');
    await terminal.shows('coppice: Session');
    terminal.type('exit\r');
    expect((await terminal.ended).code).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'leaves an ordinary terminal when the supervisor is killed',
    async ({ expect }) => {
      const where = place();
      // Not in the background for the terminal: without job control it shares the foreground.
      const start = '"$0" "$1" run -- "$0" "$2" <&1 & echo $! >pid; wait';
      const look = 'sleep 1; stty -a | tr " ;" "\\n" | grep -x icanon';
      const agent = join(AGENTS, 'screen.js');
      const terminal = openTerminal(['sh', '-c', `${start}; ${look}`, process.execPath, BIN, agent], where);
      await terminal.shows('terminals true true true');
      terminal.type('raw\r');
      await terminal.shows(`${ESC}[?1049h`);
      // The guard is told once in a second.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      process.kill(Number(readFileSync(join(where.cwd, 'pid'), 'utf8')), 'SIGKILL');
      await terminal.shows(`${ESC}[?25h${ESC}[?1049l${ESC}[0micanon`);
      await expect.poll(() => processesMarked(where.mark), { timeout: 30_000 }).toEqual([]);
    },
  );
});
