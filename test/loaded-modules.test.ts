import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHome } from '../src/index.ts';
import { ROOT } from './support/documentation.ts';
import { putPi } from './support/pi-scene.ts';
import { tempDir } from './support/temp-dir.ts';

const SCRIPT = join(ROOT, 'test/support/modules-of.js');
const FOLDERS = readdirSync(join(ROOT, 'src/homes'), { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** Of which kinds of homes anything was loaded. */
function kindsLoaded(user: string, ...args: string[]): string[] {
  const file = join(user, 'modules');
  const env = { PATH: process.env['PATH'], HOME: user, SQLITE_USE_URI: '1', MODULES_FILE: file };
  execFileSync(process.execPath, [SCRIPT, ...args], { env, stdio: 'pipe' });
  const modules = readFileSync(file, 'utf8').split('\n');
  expect(modules).toContain('homes/kinds.js');
  return FOLDERS.map(({ name }) => name).filter((name) => modules.some((path) => path.startsWith(`homes/${name}/`)));
}

it('loads nothing of a kind of home that this person has none of', async () => {
  const user = tempDir();
  await using home = await openHome({ path: join(user, '.coppice') });
  await (await home.sessions.create({ source: 'cli' })).append({ role: 'user', content: 'hello' });
  expect(kindsLoaded(user, 'plan')).toEqual(['native']);
  expect(kindsLoaded(user, 'plan', '--home', home.path)).toEqual(['native']);
  mkdirSync(join(user, '.pi/agent'), { recursive: true });
  putPi(join(user, '.pi/agent'), { id: '01a1de37-dca5-7193-9790-000000000001' });
  expect(kindsLoaded(user, 'plan')).toContain('pi');
});
