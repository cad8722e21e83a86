import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openHome } from '../src/index.ts';
import { collect } from './support/collect.ts';
import { tempDir } from './support/temp-dir.ts';

const SCRIPTS = resolve(import.meta.dirname, '../scripts');

it('is shown in the README as the program prints it', { timeout: 180_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, [join(SCRIPTS, 'make-picture.js'), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('is a home with 73 % of runs by the clock, two thirds of short sessions, giants and a conversation to find', async () => {
  const path = join(tempDir(), 'home');
  const make = `const { makeHome } = await import(${JSON.stringify(join(SCRIPTS, 'demo', 'make-home.js'))});
    console.log(await makeHome(${JSON.stringify(path)}, 600));`;
  const made = spawnSync(process.execPath, ['--input-type=module', '-e', make], { encoding: 'utf8' });
  await using home = await openHome({ path, env: {} });
  const sessions = await collect(home.sessions.list());
  const share = (count: number) => count / sessions.length;

  expect(share(sessions.filter(({ source }) => source === 'cron').length)).toBeCloseTo(0.73, 1);
  expect(share(sessions.filter(({ messageCount }) => messageCount <= 5).length)).toBeCloseTo(0.67, 1);
  expect(sessions.some(({ messageCount }) => messageCount === 400)).toBe(true);
  expect((await home.sessions.get(made.stdout.trim()))?.title).toBe('The payment race');
});
