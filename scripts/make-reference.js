// Writes docs/reference/ and man/ from the program's own definitions. With --check it only says whether they are up to date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '../dist/app/config/config-json-schema.js';
import { everyCommand } from '../dist/cli/command-tree.js';
import { createProgram } from '../dist/cli/program.js';
import { FAILURES } from '../dist/core/failure.js';
import { openapiDocument } from '../dist/http/openapi/openapi.js';
import { ROUTES } from '../dist/http/route-table.js';
import { commandsPage } from './reference/commands-page.js';
import { configPage } from './reference/config-page.js';
import { exitCodesPage } from './reference/exit-codes-page.js';
import { httpPage } from './reference/http-page.js';
import { manPage } from './reference/man-page.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const silent = { write: () => undefined, columns: 100, isTerminal: false };
const program = createProgram({ out: silent, version, clock: { now: () => 0 }, execute: async () => undefined });
const commands = everyCommand(program).filter((command) => command.name() !== 'help');

const pages = new Map([
  ['docs/reference/commands.md', commandsPage(commands)],
  ['docs/reference/exit-codes.md', exitCodesPage(FAILURES)],
  ['docs/reference/config.md', configPage(configJsonSchema())],
  ['docs/reference/http.md', httpPage(openapiDocument(ROUTES))],
  ...commands
    .filter((command) => command === program || command.parent === program)
    .map((command) => [`man/${manName(command)}.1`, manPage(command, { version, name: manName(command) })]),
]);

if (process.argv.includes('--check')) check();
else for (const [path, text] of pages) write(path, text);

function manName(command) {
  return command === program ? 'coppice' : `coppice-${command.name()}`;
}

function check() {
  const stale = [...pages].filter(
    ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
  if (stale.length === 0) return;
  console.error(`Out of date: ${stale.map(([path]) => path).join(', ')}\nRun: npm run reference`);
  process.exitCode = 1;
}

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
