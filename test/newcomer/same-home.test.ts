import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { coppice, sandbox } from '../e2e/run-coppice.ts';

const root = sandbox();
const home = join(root, 'agents of mine');

beforeAll(async () => {
  await using opened = await openHome({ path: home, env: {} });
  await opened.sessions.create({ id: 'alpha', source: 'cli' });
  symlinkSync(home, join(root, 'link'));
});

describe('a hint about a home that was named by hand', () => {
  it.concurrent.each([
    'sessions show nobody',
    'sessions pin nobody',
    'sessions delete nobody --yes',
    'undo nothing',
    'undo',
    'trash empty nothing --yes',
    'apply 0123456789abcdef --yes',
    'apply',
    'runs show nothing',
    'checkpoints show deadbeef',
    'cron remove nothing',
    'sessions reset nobody',
    'sessions list --source nobody',
    'checkpoints list',
    'cron list',
    'budget',
    'runs list',
    'config check',
    'config show',
  ])('names a command that works there: coppice %s', async (line) => {
    const { stdout, stderr } = await coppice(join(root, 'another'), [...line.split(' '), '--home', home]);
    const hinted = [...`${stdout}${stderr}`.matchAll(/: coppice (.*)$/gm)].map(([, words = '']) => words);
    expect(hinted.length).toBeGreaterThan(0);
    for (const words of hinted) expect(words).toContain(`--home '${home}'`);
  });
});

describe('a home is the same one however it is named', () => {
  it.concurrent.each([
    ['with a slash at its end', { args: ['--home', `${home}/`] }],
    ['through a link', { args: ['--home', 'link'] }],
    ['from the folder above it', { args: ['--home', 'agents of mine'] }],
    ['by a tilde that no shell saw', { args: ['--home', '~/agents of mine'] }],
    ['by a tilde in the environment', { env: { COPPICE_HOME: '~/agents of mine' } }],
  ])('%s', async (_, { args = [], env = {} }: { args?: string[]; env?: Record<string, string> }) => {
    const options = { cwd: root, env: { HOME: root, ...env } };
    const { code, stdout } = await coppice(join(root, 'another'), ['sessions', 'list', '--json', ...args], options);
    expect([code, (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions.map(({ id }) => id)]).toEqual([
      0,
      ['alpha'],
    ]);
    expect(readdirSync(root)).not.toContain('~');
  });
});
