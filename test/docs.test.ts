import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Checkpoints } from '../src/app/checkpoints/checkpoints.ts';
import { Gateway } from '../src/app/gateway/gateway.ts';
import { Scheduler } from '../src/app/gateway/scheduler.ts';
import { Home } from '../src/app/home.ts';
import { Retention } from '../src/app/retention/retention.ts';
import { Session } from '../src/app/sessions/session.ts';
import { Sessions } from '../src/app/sessions/sessions.ts';
import * as api from '../src/index.ts';
import { serveHome, TOKEN } from './http/serve-home.ts';
import { examplesIn, ROOT } from './support/documentation.ts';
import { buildHermesHome } from './support/hermes-home.ts';

/**
 * Programs of a reader: all but agents under `coppice run` and the parts of a kind of home, whose tests are beside them, and the generated
 * shapes of the API.
 */
const OTHERS = new Set(['docs/formats/events.md', 'docs/guides/home-driver.md', 'docs/reference/http.md']);
const examples = examplesIn('ts').filter(({ page }) => !OTHERS.has(page));

const DAEMON = 'http://127.0.0.1:7717';

describe('the documentation', () => {
  let directory: string;

  /** Examples are compiled and run as a user's own project would, with the built package in node_modules. */
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'coppice-docs-'));
    mkdirSync(join(directory, 'node_modules', '@types'), { recursive: true });
    symlinkSync(ROOT, join(directory, 'node_modules', 'coppice'), 'dir');
    symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(directory, 'node_modules', '@types', 'node'), 'dir');
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    const options = {
      target: 'ES2022',
      module: 'NodeNext',
      lib: ['ES2023', 'ESNext.Disposable'],
      types: ['node'],
      strict: true,
      outDir: 'out',
      rootDir: '.',
      skipLibCheck: true,
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    for (const [index, { code }] of examples.entries()) writeFileSync(join(directory, `example-${index}.ts`), code);
    buildHermesHome(join(directory, 'hermes'), { sessions: [{ id: 'chat', source: 'telegram', messages: ['hello'] }] });
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', directory], { stdio: 'pipe' });
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(examples.map(({ page, number }, index) => ({ page, number, index })))(
    'has an example that runs: $page, $number',
    async ({ index }) => {
      const program = join(directory, 'out', `example-${index}.js`);
      const code = readFileSync(program, 'utf8');
      const url = code.includes(DAEMON) ? (await serveHome()).server.url : DAEMON;
      writeFileSync(program, code.replaceAll('/home/me/.hermes', join(directory, 'hermes')).replaceAll(DAEMON, url));
      const env = { ...process.env, COPPICE_HOME: join(directory, `home-${index}`, '.coppice'), COPPICE_TOKEN: TOKEN };
      await promisify(execFile)(process.execPath, [program], { env });
    },
  );

  it('shows every public function in an example', () => {
    const code = examples.map((example) => example.code).join('\n');
    const methods = [Home, Sessions, Session, Retention, Checkpoints, Gateway, Scheduler].flatMap((owner) =>
      Object.getOwnPropertyNames(owner.prototype),
    );
    const names = new Set([...methods, ...Object.keys(api)].filter((name) => name !== 'constructor'));
    expect([...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});
