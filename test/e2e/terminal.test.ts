import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { HOSTILE_TEXT, makeExampleHome } from './example-home.ts';
import { BIN, coppice, finished, sandbox, start } from './run-coppice.ts';

const root = sandbox();
const home = join(root, 'home');
const HOSTILE = 'hostile\u202eid';
// oxlint-disable-next-line no-control-regex -- what a terminal would obey is what it looks for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

beforeAll(() => makeExampleHome(home));

describe('colour', () => {
  const search = ['sessions', 'search', 'logs'];

  it('is left out where there is no terminal, unless it is asked for', async () => {
    const coloured = async (env: Record<string, string>, ...more: string[]) =>
      (await coppice(home, [...search, ...more], { env })).stdout.includes('\u001b[');
    expect(await coloured({})).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1' })).toBe(true);
    expect(await coloured({ FORCE_COLOR: '1' }, '--no-color')).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  });
});

describe('text that a terminal would obey', () => {
  it.concurrent.each([
    ['sessions', 'list'],
    ['sessions', 'show', HOSTILE],
    ['sessions', 'show', HOSTILE, '--files'],
    ['sessions', 'tail', HOSTILE],
    ['sessions', 'search', 'red'],
    ['sessions', 'stats'],
    ['sessions', 'pin', HOSTILE],
    ['sessions', 'show', HOSTILE, '--json'],
    ['sessions', 'tail', HOSTILE, '--json'],
    ['sessions', 'show', '\u001b[31mnobody\u202e'],
    ['sessions', 'list', '--home', '\u001b[31mnowhere'],
    ['sessions', 'import', '\u001b[31mnowhere'],
    ['sessions', 'list', '--\u001b[31mwrong'],
    ['doctor'],
  ])('never reaches it raw: %s %s %s %s', async (...args) => {
    const { stdout, stderr } = await coppice(
      home,
      args.filter((arg) => typeof arg === 'string'),
    );
    expect(stdout + stderr).not.toMatch(OBEYED);
    expect(stdout + stderr).not.toBe('');
  });

  it('comes back whole for programs', async () => {
    const { stdout } = await coppice(home, ['sessions', 'tail', HOSTILE, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, seq: 1, content: HOSTILE_TEXT });
  });
});

describe('a reader that has seen enough', () => {
  it.runIf(process.platform !== 'win32')('ends the command quietly', () => {
    const script = '"$0" "$1" sessions export many many many many --format html | head -1; echo "${PIPESTATUS[0]}"';
    const env = { PATH: process.env['PATH'], HOME: root, COPPICE_HOME: home };
    const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, BIN], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^<!doctype html>.*\n0\n$/i);
  });
});

describe('coppice sessions tail', () => {
  it('prints the newest messages, one JSON document a line for programs', async () => {
    const { code, stdout } = await coppice(home, ['sessions', 'tail', 'many', '-n', '2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\nuser {2}#29 .*\nLine 29\n\nuser {2}#30 .*\nLine 30\n$/);
    const lines = (await coppice(home, ['sessions', 'tail', 'many', '--json'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([
      21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
    ]);
  });

  it('follows what another process writes, and ends with the session', async () => {
    await using writer = await openHome({ path: home, env: {} });
    const session = await writer.sessions.create({ id: 'live', source: 'cli' });
    await session.append({ role: 'user', content: 'before' });
    const child = start(home, ['sessions', 'tail', 'live', '--follow']);
    const result = finished(child);
    // The first message shows that it is watching; the next two can only come from watching.
    await once(child.stdout, 'data');
    await session.append({ role: 'assistant', content: 'meanwhile' });
    await once(child.stdout, 'data');
    await session.append({ role: 'user', content: 'at the end' });
    await session.end('done');
    const { code, stdout, stderr } = await result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/before|meanwhile|at the end/g)).toEqual(['before', 'meanwhile', 'at the end']);
  });

  it.runIf(process.platform !== 'win32')('stops at Ctrl-C without a word', async () => {
    const child = start(home, ['sessions', 'tail', 'running', '--follow']);
    const result = finished(child);
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
