import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('support/kit-from-package.js', import.meta.url));

it('has suites that run from the built package in the test runner of Node, and that find a lock which is none', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  const sound = run();
  expect(sound.stdout).toContain('# fail 0');
  expect(sound.stdout).not.toContain('# pass 0');
  expect(sound.status).toBe(0);
  const broken = run('--without-lock');
  expect(broken.stdout).toContain('not ok');
  expect(broken.status).not.toBe(0);
});
