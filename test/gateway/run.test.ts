import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OK } from '../../src/core/gateway/gateway.ts';
import { superviseRun } from '../../src/gateway/run/supervise-run.ts';
import { openPipes } from '../../src/platform/files/open-pipe.ts';
import { agent, collectRun, sh } from '../support/run-collector.ts';

describe('superviseRun', () => {
  it('shows and records what a command writes, and passes its exit code on', async () => {
    const run = collectRun();
    const result = await superviseRun({ ...run.options, ...sh('echo one; echo two >&2; printf three; exit 7') });
    expect(result).toMatchObject({ cause: { kind: 'exited' }, exitCode: 7, exitStatus: 7 });
    expect(run.shown('stdout').toString()).toBe('one\nthree');
    expect(run.recorded('stdout')).toBe('one\nthree');
    expect(run.shown('stderr').toString()).toBe('two\n');
    expect(run.recorded('stderr')).toBe('two\n');
    expect(result.stats).toMatchObject({ outputBytes: 13, omittedBytes: 0, endedProcesses: 0, leftPids: [] });
  });

  it('tells the command its session and gives it an event channel', async () => {
    const run = collectRun();
    const script = `echo '{"coppice":"note","text":"'$COPPICE_SESSION_ID'"}' >&$COPPICE_EVENTS_FD`;
    await superviseRun({ ...run.options, ...sh(script) });
    expect(run.events).toEqual([{ kind: 'note', text: 'session-1' }]);
  });

  it('lets a script open its output by name, as it can in a terminal', async () => {
    const run = collectRun();
    await superviseRun({ ...run.options, ...sh('echo out > /dev/stdout; echo err > /dev/stderr') });
    expect([run.recorded('stdout'), run.recorded('stderr')]).toEqual(['out\n', 'err\n']);
  });

  it('reads events however they are cut, and reports lines that are none', async () => {
    const run = collectRun();
    const result = await superviseRun({ ...run.options, ...agent('chatty.js') });
    expect(run.events).toEqual([
      { kind: 'title', title: 'Größe prüfen 東京' },
      { kind: 'message', message: { role: 'user', content: 'hello' } },
      { kind: 'tool', name: 'bash', ok: false, id: '1', args: { command: 'ls' } },
      { kind: 'note', text: 'no line break at the end' },
    ]);
    expect(result.stats).toMatchObject({ events: 4, refusedLines: 3 });
    expect(result.stats.problems).toEqual([
      'An event line is not JSON.',
      'An event line names an event that is not known.',
      expect.stringContaining('inputTokens'),
    ]);
  });

  it('takes events on standard output too, in their place between the lines', async () => {
    const run = collectRun();
    const order: string[] = [];
    const sink = {
      event: async () => {
        order.push('event');
        return OK;
      },
      output: async ({ text }: { text: string }) => {
        order.push(text);
        return OK;
      },
      check: async () => OK,
    };
    const script = `echo before; echo '{"coppice":"iteration"}'; echo '{"coppice":"dance"}'; echo '{"other":1}'`;
    const result = await superviseRun({ ...run.options, ...sh(script), sink, eventsOnStdout: true });
    expect(order.join('')).toBe('before\nevent{"coppice":"dance"}\n{"other":1}\n');
    expect(run.shown('stdout').toString()).toContain('{"coppice":"iteration"}\n');
    expect(result.stats).toMatchObject({ events: 1, refusedLines: 1 });
  });

  it('takes a printed line for output, and for an event only where it bears the nonce that the agent was given', async () => {
    const run = collectRun();
    const strange = '{"coppice":"note","text":"of a stranger","nonce":"guessed"}';
    const own = `echo '{"coppice":"note","text":"own","nonce":"'$COPPICE_EVENTS_NONCE'"}'`;
    const result = await superviseRun({ ...run.options, ...sh(`echo '${strange}'; ${own}`) });
    expect(run.events).toEqual([{ kind: 'note', text: 'own' }]);
    expect(run.recorded('stdout')).toBe(`${strange}\n`);
    expect(result.stats).toMatchObject({ events: 1, refusedLines: 0 });
  });

  it('refuses a report that cannot be true of one call, and a total that grows by as much at once', async () => {
    const run = collectRun();
    const usage = (tokens: number, more: object = {}) =>
      `echo '${JSON.stringify({ coppice: 'usage', model: 'm', inputTokens: tokens, ...more })}' >&3`;
    const total = { cumulative: true };
    const script = [
      usage(Number.MAX_SAFE_INTEGER),
      usage(1, { costUsd: 1001 }),
      usage(9_000_000, total),
      usage(18_000_000, total),
      usage(29_000_000, total),
    ].join(';');
    const result = await superviseRun({ ...run.options, ...sh(script) });
    expect(result.stats).toMatchObject({ events: 2, refusedLines: 3 });
    expect(result.stats.problems[0]).toBe('An event line reports more than 10,000,000 tokens or $1000 at once.');
  });

  it('shows bytes that are no UTF-8 as they are, and records what can be read of them', async () => {
    const run = collectRun();
    await superviseRun({
      ...run.options,
      ...sh(String.raw`printf 'a\377b\n'; printf '{"coppice":"note","text":"\377"}\n' >&3`),
    });
    expect([...run.shown('stdout')]).toEqual([0x61, 0xff, 0x62, 0x0a]);
    expect(run.recorded('stdout')).toBe('a\ufffdb\n');
    expect(run.events).toEqual([{ kind: 'note', text: '\ufffd' }]);
  });

  it('passes over a line that is too long, and reads the next', async () => {
    const run = collectRun();
    const script = `head -c 3000000 /dev/zero | tr '\\0' x >&3; echo >&3; echo '{"coppice":"iteration"}' >&3`;
    const result = await superviseRun({ ...run.options, ...sh(script) });
    expect(run.events).toEqual([{ kind: 'iteration' }]);
    expect(result.stats.problems).toEqual(['An event line is longer than 1 MB and was cut off.']);
  });

  it('goes on when the command closes its event channel or its output', async () => {
    const run = collectRun();
    const result = await superviseRun({
      ...run.options,
      ...sh('exec 3>&- 1>&-; sleep 0.1; echo still here >&2; exit 4'),
    });
    expect(result.exitStatus).toBe(4);
    expect(run.recorded('stderr')).toBe('still here\n');
  });

  it('says by which signal a command died', async () => {
    const run = collectRun();
    const result = await superviseRun({ ...run.options, ...sh('kill -KILL $$') });
    expect(result).toMatchObject({ cause: { kind: 'exited' }, signal: 'SIGKILL', exitStatus: 137 });
  });

  it.each([
    ['no-such-command-anywhere', 'There is no command no-such-command-anywhere.'],
    ['/', 'The file / may not be run.'],
  ])('says why %s cannot be started, and leaves no record', async (command, message) => {
    const run = collectRun();
    const failure = await superviseRun({ ...run.options, command, args: [] }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'Failure', code: 'usage', message });
    expect(run.open.size).toBe(0);
  });

  it('says so when the directory does not exist', async () => {
    const run = collectRun();
    const cwd = join(run.options.cwd, 'missing');
    const failure = await superviseRun({ ...run.options, ...sh('true'), cwd }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('does not exist') });
  });

  it('keeps a record from before the start until nothing is left', async () => {
    const run = collectRun();
    await superviseRun({ ...run.options, ...sh('true') });
    expect(run.saved.map(({ child }) => child === undefined)).toEqual([true, false]);
    expect(run.saved[0]).toMatchObject({ sessionId: 'session-1', supervisor: { pid: process.pid } });
    expect(run.open.size).toBe(0);
  });

  it('gives the command an empty input unless told otherwise', async () => {
    const run = collectRun();
    const result = await superviseRun({ ...run.options, ...sh('cat') });
    expect([result.exitStatus, run.recorded('stdout')]).toEqual([0, '']);
  });

  it('records the beginning and the end of what is too much', async () => {
    const run = collectRun();
    const options = { ...run.options, maxRecordedBytes: 100_000 };
    const result = await superviseRun({ ...options, ...sh('echo first; yes | head -c 5000000; echo last') });
    expect(run.recorded('stdout')).toMatch(/^first\n.*last\n$/s);
    const recordedBytes = Buffer.byteLength(run.recorded('stdout'));
    expect(recordedBytes).toBeLessThan(200_000);
    expect(recordedBytes + result.stats.omittedBytes).toBe(5_000_011);
    expect(run.shown('stdout').length).toBe(5_000_011);
    expect(Math.max(...run.chunks.map(({ text }) => text.length))).toBeLessThanOrEqual(8192);
  });

  it('closes the output of a command when nobody watches it any more', async () => {
    const run = collectRun();
    const [pipe] = await openPipes(1);
    if (pipe === undefined) throw new Error('no pipe');
    closeSync(pipe.readFd);
    const result = await superviseRun({ ...run.options, command: 'yes', args: [], io: { stdout: pipe.writeFd } });
    closeSync(pipe.writeFd);
    expect(result).toMatchObject({ cause: { kind: 'exited' }, signal: 'SIGPIPE', exitStatus: 141 });
  });
});
