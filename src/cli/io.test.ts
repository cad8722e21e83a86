import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { type Host, processIo } from './io.ts';

function hostWith(stdin: PassThrough) {
  const stderr = new PassThrough();
  const host = { argv: [], env: {}, cwd: () => '/', stdin, stdout: new PassThrough(), stderr };
  return { host: host as unknown as Host, stderr };
}

it('asks on stderr and returns one line at a time', async () => {
  const stdin = new PassThrough();
  const { host, stderr } = hostWith(stdin);
  const io = processIo(host, new AbortController().signal);
  const answer = io.question('Sure? ');
  stdin.write('yes\n');
  expect(await answer).toBe('yes');
  expect(String(stderr.read())).toBe('Sure? ');
});

it('takes the end of the input for an empty answer', async () => {
  const stdin = new PassThrough();
  const io = processIo(hostWith(stdin).host, new AbortController().signal);
  const answer = io.question('Sure? ');
  stdin.end();
  expect(await answer).toBe('');
});

it('stops waiting for an answer at Ctrl-C', async () => {
  const stop = new AbortController();
  const answer = processIo(hostWith(new PassThrough()).host, stop.signal).question('Sure? ');
  stop.abort();
  await expect(answer).rejects.toThrow(/abort/i);
});
