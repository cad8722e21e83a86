import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OK, type Verdict } from '../../src/core/gateway/gateway.ts';
import type { RunEvent } from '../../src/gateway/run/output/run-event.ts';
import { superviseRun } from '../../src/gateway/run/supervise-run.ts';
import { verdictOf } from '../../src/gateway/verdict-of.ts';
import { findProcess } from '../../src/platform/machine/find-process.ts';
import { wait } from '../../src/platform/machine/wait.ts';
import { AGENTS, agent, collectRun, sh } from '../support/run-collector.ts';

/** Elsewhere, what leaves its process group is not found, and there is no `setsid`. */
const LINUX = process.platform === 'linux';
const STOP = verdictOf('stop', { rule: 'tokens', scope: 'session', used: 12, limit: 10 });
const WHY = 'This session has used 12 tokens of 10 tokens.';

describe('superviseRun, when a run must end', () => {
  it('stops a command that burns tokens as soon as a verdict says so', async () => {
    let used = 0;
    const run = collectRun((event) => {
      if (event.kind === 'usage') used += event.usage.inputTokens ?? 0;
      return used >= 50_000 ? STOP : OK;
    });
    const result = await superviseRun({ ...run.options, ...agent('token-burner.js') });
    expect(result).toMatchObject({ cause: { kind: 'stopped', why: WHY }, signal: 'SIGTERM', exitStatus: 124 });
    expect(run.left()).toEqual([]);
  });

  it('takes events one at a time while it can stop the run, and what is left in the pipe together, in order', async () => {
    const run = collectRun((event) => (event.kind === 'note' && Number(event.text) > 20 ? STOP : OK));
    let atOnce = 0;
    let most = 0;
    const event = async (next: RunEvent): Promise<Verdict> => {
      atOnce += 1;
      if (atOnce > 1 && most <= 1) expect(run.left()).toEqual([]);
      most = Math.max(most, atOnce);
      await wait(1);
      atOnce -= 1;
      return run.options.sink.event(next);
    };
    const script = `n=0; while true; do n=$((n+1)); echo "{\\"coppice\\":\\"note\\",\\"text\\":\\"$n\\"}" >&3; done`;
    const sink = { ...run.options.sink, event };
    const result = await superviseRun({ ...run.options, ...sh(script), sink });
    expect(result.cause).toMatchObject({ kind: 'stopped' });
    expect(most).toBeGreaterThan(1);
    const numbers = run.events.map((next) => (next.kind === 'note' ? Number(next.text) : 0));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(result.stats.events).toBe(numbers.length);
  });

  it('sees whatever else happens between two events, though they came at once', async () => {
    const seenAfter: number[] = [];
    const run = collectRun((): Verdict => {
      if (run.events.length === 1) setImmediate(() => seenAfter.push(run.events.length));
      return OK;
    });
    const script = `printf '%s' "$(yes '{"coppice":"iteration"}' | head -n 100)" >&3`;
    expect((await superviseRun({ ...run.options, ...sh(script) })).stats.events).toBe(100);
    expect(seenAfter).toEqual([1]);
  });

  it('kills a whole group that ignores the request to end', async () => {
    const run = collectRun(() => STOP);
    const result = await superviseRun({ ...run.options, ...agent('stubborn.js'), stopGraceMs: 100 });
    expect(result).toMatchObject({ cause: { kind: 'stopped' }, signal: 'SIGKILL', exitStatus: 124 });
    expect(run.left()).toEqual([]);
  });

  it('asks how things are while a command says nothing, and stops it when told to', async () => {
    const run = collectRun();
    const sink = { ...run.options.sink, check: async () => STOP };
    const result = await superviseRun({ ...run.options, ...sh('sleep 300'), sink });
    expect(result).toMatchObject({ cause: { kind: 'stopped', why: WHY }, exitStatus: 124 });
    expect(run.left()).toEqual([]);
  });

  it('says how much was printed since it asked last, and stops a flood when told to', async () => {
    const run = collectRun();
    let printed = 0;
    const check = async ({ printedBytes }: { printedBytes: number }) => {
      printed += printedBytes;
      return printed > 0 ? STOP : OK;
    };
    const io = { stdout: openSync('/dev/null', 'w') };
    const result = await superviseRun({
      ...run.options,
      command: 'yes',
      args: [],
      sink: { ...run.options.sink, check },
      io,
    });
    closeSync(io.stdout);
    expect(result.cause).toMatchObject({ kind: 'stopped' });
    expect(printed).toBeGreaterThan(0);
    expect(printed).toBeLessThanOrEqual(result.stats.outputBytes);
    expect(run.left()).toEqual([]);
  });

  it('stops a run whose limits can no longer be kept', async () => {
    const run = collectRun();
    const check = async () => {
      throw new Error('no book');
    };
    const sink = { ...run.options.sink, check };
    await expect(superviseRun({ ...run.options, ...sh('sleep 300'), sink })).rejects.toThrow('no book');
    expect(run.left()).toEqual([]);
  });

  it('stops politely when interrupted, and kills when interrupted again', async () => {
    const polite = new AbortController();
    const kill = new AbortController();
    const run = collectRun(() => {
      polite.abort();
      setTimeout(() => kill.abort(), 50);
      return OK;
    });
    const signals = { signal: polite.signal, killSignal: kill.signal };
    const result = await superviseRun({ ...run.options, ...agent('stubborn.js'), ...signals, stopGraceMs: 600_000 });
    expect(result).toMatchObject({ cause: { kind: 'interrupted' }, signal: 'SIGKILL', exitStatus: 130 });
    expect(run.left()).toEqual([]);
  });

  it('does not start what was interrupted before', async () => {
    const run = collectRun();
    const starting = superviseRun({ ...run.options, ...sh('true'), signal: AbortSignal.abort(new Error('enough')) });
    await expect(starting).rejects.toThrow('enough');
    expect(run.saved).toEqual([]);
  });

  it('gives what the command started the same grace to end, and asks it once', async () => {
    const run = collectRun((event) => (event.kind === 'iteration' ? STOP : OK));
    // The shell in front of the agent ends at once.
    const script = `'${process.execPath}' '${join(AGENTS, 'slow-to-end.js')}'; true`;
    const result = await superviseRun({ ...run.options, ...sh(script) });
    expect(result).toMatchObject({ cause: { kind: 'stopped' }, signal: 'SIGTERM' });
    expect(run.events).toEqual([{ kind: 'iteration' }, { kind: 'note', text: 'last words' }]);
    expect(run.left()).toEqual([]);
  });

  it.runIf(LINUX)('ends whatever a command leaves behind, also what left its process group', async () => {
    const run = collectRun();
    const result = await superviseRun({ ...run.options, command: 'sh', args: [join(AGENTS, 'fork-bomb.sh')] });
    expect(result.cause).toEqual({ kind: 'exited' });
    expect(result.stats.endedProcesses).toBe(50);
    expect(run.left()).toEqual([]);
  });

  it('warns once of each thing, on standard error', async () => {
    const warn = verdictOf('warn', { rule: 'tokens', scope: 'session', used: 8, limit: 10 });
    const run = collectRun(() => warn);
    const event = `echo '{"coppice":"iteration"}' >&3;`;
    const result = await superviseRun({ ...run.options, ...sh(event.repeat(3)) });
    expect(result).toMatchObject({ exitStatus: 0, stats: { events: 3 } });
    expect(run.shown('stderr').toString()).toBe('coppice: This session has used 8 tokens of 10 tokens.\n');
  });

  it('stops the run and says why when it cannot be recorded', async () => {
    const run = collectRun();
    const sink = { ...run.options.sink, event: () => Promise.reject(new Error('disk full')) };
    await expect(superviseRun({ ...run.options, ...agent('token-burner.js'), sink })).rejects.toThrow('disk full');
    expect(run.left()).toEqual([]);
    expect(run.open.size).toBe(0);
  });

  it('stops the run when its output cannot be shown for another reason', async () => {
    const run = collectRun();
    const notWritable = openSync(run.options.cwd, 'r');
    const io = { stdout: notWritable };
    await expect(superviseRun({ ...run.options, command: 'yes', args: [], io })).rejects.toThrow('EBADF');
    closeSync(notWritable);
    expect(run.left()).toEqual([]);
  });

  it.runIf(LINUX).each([
    ['says nothing', 'exec sleep 300'],
    ['goes on printing', 'while true; do echo here; sleep 0.05; done'],
    ['floods it', 'while true; do yes | head -c 1000000; done'],
  ])('does not wait for a process that nobody can find, keeps the output open and %s', async (_, work) => {
    const run = collectRun();
    // Without its environment, a process that has left the group cannot be told from any other.
    const daemon = `trap "" PIPE; echo $$ > part; mv part pid; ${work}`;
    const script = `env -i PATH="$PATH" setsid sh -c '${daemon}' & until [ -e pid ]; do sleep 0.01; done`;
    const result = await superviseRun({ ...run.options, ...sh(script), stopGraceMs: 100 });
    const pid = Number(readFileSync(join(run.options.cwd, 'pid'), 'utf8'));
    expect(result.exitStatus).toBe(0);
    expect(findProcess(pid)).toBeDefined();
    process.kill(pid, 'SIGKILL');
  });
});
