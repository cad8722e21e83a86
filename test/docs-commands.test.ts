import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from './e2e/run-coppice.ts';
import { serveHome, TOKEN } from './http/serve-home.ts';
import { EXAMPLES, examplesIn, linesOf, PAGES, textOf } from './support/documentation.ts';
import { ExampleMachine } from './support/example-machine.ts';
import { HERMES_NOW } from './support/hermes-home.ts';
import { unrealCommands } from './support/real-commands.ts';

const root = sandbox();

/** Examples that are not run here, and why. A shell reads them all the same. */
const NOT_RUN = [
  { line: 'npm ci && npm run demo', because: 'it fetches packages; demo.test.ts runs the demo' },
  { line: 'npm install coppice', because: 'it fetches the package; package.test.ts installs it' },
  { line: 'docker run', because: 'it needs a container; the next tests run what is in it' },
  { line: 'coppice service install', because: 'it needs systemd or launchd; e2e/service.test.ts runs it' },
  { line: 'systemctl --user', because: 'it needs systemd' },
  { line: 'tell() {', because: 'it speaks to coppice run; gateway/run-docs.test.ts runs it there' },
  { line: 'tar -xOf', because: 'it needs an archive; docs-formats.test.ts makes one' },
];

let machine: ExampleMachine;
beforeAll(async () => {
  machine = await ExampleMachine.build(root);
});

describe('the commands in the documentation', () => {
  it.each(PAGES)('exist, with their flags: %s', (page) => {
    const inText = [...textOf(page).matchAll(/`(coppice [^`]+)`/g)].map(([, line = '']) => line);
    const shown = examplesIn('sh').filter((example) => example.page === page);
    const lines = shown.flatMap(({ code }) => linesOf(code).filter((line) => line.startsWith('coppice ')));
    expect([...inText, ...lines].flatMap(unrealCommands)).toEqual([]);
  });

  const blocks = examplesIn('sh').filter(({ page }) => page !== 'docs/reference/commands.md');
  const left = blocks.filter(({ code }) => NOT_RUN.some(({ line }) => code.startsWith(line)));

  it.each(blocks.filter((block) => !left.includes(block)))('do what they say: $page, $number', async (block) => {
    machine.reset();
    if (/^ *curl|--remote/m.test(block.code)) await serve();
    // The first pass over a home only announces.
    if (block.code.includes('coppice maintain')) await machine.type('coppice maintain --home ~/.hermes');
    await machine.do(block.code);
  });

  it('are left to other tests where this one cannot run them', () => {
    expect(left.length).toBe(NOT_RUN.length);
    for (const { code } of left) execFileSync('bash', ['-n', '-c', code]);
  });
});

describe('the guide to the daemon', () => {
  it.skipIf(process.platform !== 'linux')('has a service whose file can be seen before it is written', async () => {
    const { code, out } = await machine.type('coppice service install --dry-run');
    expect([code, [...out.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)]).toEqual([
      0,
      ['Unit', 'Service', 'Install'],
    ]);
  });

  it('has a container whose command starts, and whose health can be asked for', async () => {
    const code = examplesIn('dockerfile')[0]?.code ?? '';
    expect(linesOf(code).filter((line) => !/^(FROM|RUN|USER|VOLUME|CMD|HEALTHCHECK) /.test(line))).toEqual([]);
    const [command, health] = [...code.matchAll(/CMD (\[.*\])$/gm)].map(
      ([, words = '']) => JSON.parse(words) as string[],
    );
    // As in the container, but for the address: no test opens the machine to others.
    expect(await machine.type(`${command?.join(' ')} --host 127.0.0.1`)).toMatchObject({ code: 0 });
    await serve();
    await machine.shell(`node -e "${health?.at(-1)}"`);
  });
});

it('has examples in languages that are run or read by a test, and nothing else', () => {
  // `ts` in docs.test.ts, `json` in docs-formats.test.ts, the others in gateway/run-docs.test.ts; no language means a picture.
  const elsewhere = ['ts', 'json', 'jsonl', 'python', ''];
  const run = new Set(['sh', 'yaml', 'dockerfile', ...elsewhere]);
  expect(EXAMPLES.filter(({ language }) => !run.has(language))).toEqual([]);
});

it('begins with a page of less than 150 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(150);
});

describe('the settings in the documentation', () => {
  it.each(examplesIn('yaml'))('are valid: $page, $number', async ({ code }) => {
    machine.reset();
    writeFileSync(join(machine.home, 'config.yaml'), code);
    expect(await machine.type('coppice config check')).toMatchObject({ code: 0 });
  });
});

/** Serves the home of the machine at a port and at a socket, until the test ends. */
async function serve(): Promise<void> {
  const clock = { now: () => HERMES_NOW };
  writeFileSync(join(machine.home, 'token'), `${TOKEN}\n`, { mode: 0o600 });
  const socket = join(machine.home, 'docs.sock');
  const { server } = await serveHome({ path: machine.home, clock });
  await serveHome({ path: machine.home, clock, address: { socket } });
  Object.assign(machine.served, { url: server.url, socket: `unix:${socket}` });
}
