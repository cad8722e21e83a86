#!/usr/bin/env node
// Says plainly what is missing before anything that needs it is loaded.
import { existsSync, readFileSync } from 'node:fs';

// This process is ours, so it may say before its first database that SQLite takes addresses: a home at rest is then read in place.
if (process.env.SQLITE_USE_URI === undefined) process.env.SQLITE_USE_URI = '1';

const [major, minor] = process.version.slice(1).split('.').map(Number);
const [first, ...rest] = process.argv.slice(2);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`coppice: Coppice needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.stderr.write('Get a newer one at https://nodejs.org, or run: nvm install --lts\n');
  process.exitCode = 2;
} else if ((first === '--version' || first === '-V') && rest.length === 0) {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else if (existsSync(new URL('../dist/program/main.js', import.meta.url))) {
  const parts = [import('../dist/program/main.js'), import('../dist/program/run-process.js')];
  const [{ main }, { runProcess }] = await Promise.all(parts).catch(sayWhatIsMissing);
  await runProcess(process, main);
} else {
  process.stderr.write('coppice: Coppice is not built yet. Run: npm ci\n');
  process.exitCode = 1;
}

/** The packages that the command line itself needs; what is missing later is said by the command. */
function sayWhatIsMissing(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write('coppice: The packages that Coppice needs are not installed. Run: npm ci\n');
  process.exit(1);
}
