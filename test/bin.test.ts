import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let copy: string;

// The launcher and package.json alone: neither built nor installed.
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'coppice-bin-'));
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(copy, name), { recursive: true });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function launch(args: readonly string[], nodeOptions: readonly string[] = []) {
  const argv = [...nodeOptions, join(copy, 'bin', 'coppice.js'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each(['--version', '-V'])('prints the version for %s without loading anything else', (flag) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(launch([flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

it('says what to run when it is not built', () => {
  const stderr = 'coppice: Coppice is not built yet. Run: npm ci\n';
  expect(launch(['sessions', 'list'])).toEqual({ status: 1, stdout: '', stderr });
});

const HINT = 'Get a newer one at https://nodejs.org, or run: nvm install --lts\n';

it.each(['v18.20.0', 'v20.18.3'])('says which Node.js it needs when it runs on %s', (version) => {
  const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'${version}'})`;
  const stderr = `coppice: Coppice needs Node.js 20.19 or newer; this is ${version}.\n${HINT}`;
  expect(launch(['--version'], ['--import', pretend])).toEqual({ status: 2, stdout: '', stderr });
});
