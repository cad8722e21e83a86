// Writes into README.md what `coppice status` prints about the home of the demo. With --check it only says whether that is so.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeHome } from './demo/make-home.js';

const PICTURE = /(?<=^\$ coppice status\n).*?(?=^```$)/ms;
const root = fileURLToPath(new URL('..', import.meta.url));
const readme = join(root, 'README.md');
const text = readFileSync(readme, 'utf8');
const printed = await statusOfDemo();

if (!process.argv.includes('--check')) writeFileSync(readme, text.replace(PICTURE, printed));
else if (withoutSizes(PICTURE.exec(text)?.[0]) !== withoutSizes(printed)) {
  console.error(`README.md does not show what coppice status prints:\n${printed}\nRun: npm run reference`);
  process.exitCode = 1;
}

async function statusOfDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-picture-'));
  try {
    const home = join(folder, 'home');
    await makeHome(home, 2000);
    const env = { ...process.env, COPPICE_HOME: home, NO_COLOR: '1' };
    return execFileSync(process.execPath, [join(root, 'bin', 'coppice.js'), 'status'], { env, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ids are random, and with them the pages of the database: its size differs a little each time. */
function withoutSizes(picture = '') {
  return picture.replaceAll(/[\d.]+ [KM]?B/g, 'size').replaceAll(/ +/g, ' ');
}
