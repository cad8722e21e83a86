import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Host } from './io.ts';
import { runProcess } from './run-process.ts';

/** A process whose stdout fails with `error`, if given, on the first write. */
function fakeHost({ error, isTTY = false }: { error?: string; isTTY?: boolean } = {}) {
  const events = new EventEmitter();
  const written = { out: '', err: '', exits: [] as unknown[] };
  const stream = (name: 'out' | 'err', code?: string) => {
    const writable = new Writable({
      highWaterMark: 10,
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        written[name] += chunk;
        setImmediate(() => done(code === undefined ? null : Object.assign(new Error(`it says ${code}`), { code })));
      },
    });
    return Object.assign(writable, { isTTY, columns: 40 });
  };
  const host = {
    argv: ['node', 'coppice', 'first', 'second'],
    env: { TERM: 'xterm' } as NodeJS.ProcessEnv,
    cwd: () => '/somewhere',
    exit: (code?: unknown) => void written.exits.push(code),
    exitCode: undefined as number | undefined,
    on: (name: string, listener: () => void) => events.on(name, listener),
    stdin: {},
    stdout: stream('out', error),
    stderr: stream('err'),
  };
  return { host: host as unknown as Host & { exitCode: number }, events, written };
}

it('hands over arguments and environment, and leaves the exit code in the process', async () => {
  const { host, written } = fakeHost({ isTTY: true });
  await runProcess(host, async (argv, io) => {
    io.out.write(`${argv.join()} ${io.cwd} ${io.out.columns} ${io.out.isTerminal} ${io.stdinIsTerminal}`);
    return 3;
  });
  expect(written.out).toBe('first,second /somewhere 40 true false');
  expect(host.exitCode).toBe(3);
  expect(written.exits).toEqual([]);
});

it('does not treat a dumb terminal as one, and gives pipes endless lines', async () => {
  const dumb = fakeHost({ isTTY: true });
  dumb.host.env['TERM'] = 'dumb';
  for (const { host } of [dumb, fakeHost()])
    await runProcess(host, async (_, { out }) => {
      expect(out.isTerminal).toBe(false);
      expect(out.columns).toBe(Number.POSITIVE_INFINITY);
      expect(out.colour.red('x')).toBe('x');
      return 0;
    });
});

it('aborts at the first Ctrl-C, and ends at once with 130 at the second', async () => {
  const { host, events, written } = fakeHost();
  await runProcess(host, async (_, io) => {
    events.emit('SIGINT');
    expect(io.signal.aborted).toBe(true);
    expect(written.exits).toEqual([]);
    events.emit('SIGINT');
    expect(written.exits).toEqual([130]);
    return 130;
  });
});

it.each(['SIGTERM', 'SIGHUP'])('stops at %s as at Ctrl-C, and goes on stopping when it comes again', async (name) => {
  const { host, events, written } = fakeHost();
  await runProcess(host, async (_, io) => {
    events.emit(name);
    expect(io.signal.aborted).toBe(true);
    events.emit(name);
    events.emit(name === 'SIGTERM' ? 'SIGHUP' : 'SIGTERM');
    expect(written.exits).toEqual([]);
    events.emit('SIGINT');
    expect(written.exits).toEqual([130]);
    return 130;
  });
});

it('takes a reader that has gone for the end of the work, not for a failure', async () => {
  const { host, written } = fakeHost({ error: 'EPIPE' });
  await runProcess(host, async (_, io) => {
    io.out.write('more than the buffer holds');
    await expect(io.out.drained()).rejects.toThrow();
    expect(io.signal.aborted).toBe(true);
    return 130;
  });
  expect(host.exitCode).toBe(0);
  expect(written.err).toBe('');
});

it('notices a write that fails after the work is done', async () => {
  const { host, written } = fakeHost({ error: 'ENOSPC' });
  await runProcess(host, async (_, io) => {
    io.out.write('x');
    return 0;
  });
  expect(host.exitCode).toBe(1);
  expect(written.err).toContain('The output could not be written: it says ENOSPC.');
});

it('waits for a slow reader before more is written', async () => {
  const { host, written } = fakeHost();
  await runProcess(host, async (_, io) => {
    io.out.write('more than the buffer holds');
    await io.out.drained();
    expect(written.out).toBe('more than the buffer holds');
    return 0;
  });
  expect(host.exitCode).toBe(0);
});
