import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planDocument } from '../src/app/documents/plan-document.ts';
import { openHome } from '../src/app/open-home.ts';
import { planText } from '../src/app/saved-plans.ts';
import { FAILURES, type FailureCode } from '../src/core/failure.ts';
import { DAY_MS } from '../src/core/time.ts';
import { BIN, coppice, finished, type RunOptions, sandbox, start } from './e2e/run-coppice.ts';
import { unrealCommands } from './support/real-commands.ts';
import { CAN_MOUNT, mountDisk } from './support/small-disk.ts';

const ROOT = resolve(import.meta.dirname, '..');
const root = sandbox();
const standard = join(root, 'standard');
const stops: (() => unknown)[] = [];

/** Permissions mean nothing to root, so what they protect is tried as nobody, where nobody can run the program. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const PERMISSIONS_BIND =
  process.platform !== 'win32' && spawnSync(process.execPath, [BIN, '--version'], NOBODY).status === 0;
const PATIENT = process.env['COPPICE_TORTURE'] === '1';

/** Two sessions and a plan that nobody applied in time. */
beforeAll(async () => {
  chmodSync(root, 0o755);
  const at = Date.now() - 100 * DAY_MS;
  await using home = await openHome({ path: standard, env: {}, clock: { now: () => at } });
  for (const id of ['alpha-one', 'alpha-two']) {
    const session = await home.sessions.create({ id, source: 'cron' });
    await session.append({ role: 'user', content: `Hello from ${id}.` });
    await session.end('done');
  }
  const plan = planDocument(await home.plan({ kind: 'delete', ids: ['alpha-one'] }));
  writeFileSync(join(root, 'old-plan.json'), [...planText(plan)].join(''));
});

afterAll(async () => {
  for (const stop of stops) await stop();
});

interface Met extends RunOptions {
  readonly home?: string;
  /** Added to the line. */
  readonly words?: readonly string[];
}

interface Case {
  readonly met: string;
  readonly line: string;
  readonly code: FailureCode;
  readonly says: RegExp;
  readonly hint: RegExp;
  /** Brings it about, in a folder of its own that holds a `home`; says how to run the line. */
  readonly when?: (folder: string) => Met | Promise<Met>;
  /** Two of it at the same time would get in each other's way. */
  readonly alone?: true;
  /** Where it cannot be brought about it is skipped, and the report of the tests says so. */
  readonly possible?: boolean;
}

const WRONG_LINES: readonly Case[] = [
  {
    met: 'a typo in a command',
    line: 'sesions list',
    code: 'usage',
    says: /^Unknown command 'sesions'\.$/,
    hint: /^Did you mean sessions\? Run: coppice --help$/,
  },
  {
    met: 'a typo in a command of a group',
    line: 'sessions serch word',
    code: 'usage',
    says: /^Unknown command 'serch'\.$/,
    hint: /^Did you mean search\? Run: coppice sessions --help$/,
  },
  {
    met: 'a flag that does not exist',
    line: 'sessions list --limt 3',
    code: 'usage',
    says: /^Unknown option '--limt'\.$/,
    hint: /^Did you mean --limit\? Run: coppice sessions list --help$/,
  },
  {
    met: 'a date that is none',
    line: 'sessions list --since yesterday',
    code: 'usage',
    says: /--since takes a date or an age, not 'yesterday'\.$/,
    hint: /--since 2026-01-31 or --since 90d$/,
  },
  {
    met: 'an age in a unit that is none',
    line: 'sessions prune --older-than 10x',
    code: 'usage',
    says: /^'x' is not a unit of time/,
    hint: /--older-than 90d$/,
  },
  {
    met: 'a number that is none',
    line: 'sessions list --limit many',
    code: 'usage',
    says: /^--limit takes a whole number above zero/,
    hint: /--limit 20$/,
  },
  {
    met: 'a size that is none',
    line: 'status --set disk.max_mb=big',
    code: 'bad-config',
    says: /^--set disk\.max_mb: "big" is not possible here\. Write a number of megabytes/,
    hint: /coppice config check$/,
  },
  {
    met: 'a typo in a key of --set',
    line: 'status --set sessions.retention_dayz=3',
    code: 'bad-config',
    says: /Did you mean sessions\.retention_days\?$/,
    hint: /^Nothing was changed\. .*coppice config check$/,
  },
  {
    met: 'an unknown session',
    line: 'sessions show nobody',
    code: 'not-found',
    says: /^There is no session with the id nobody\.$/,
    hint: /coppice sessions list$/,
  },
  {
    met: 'an id that begins several sessions',
    line: 'sessions show alpha',
    code: 'usage',
    says: /^Several sessions begin with alpha: alpha-one, alpha-two$/,
    hint: /^Give more characters of the id\.$/,
  },
  {
    met: 'an unknown plan',
    line: 'apply 0123456789abcdef',
    code: 'not-found',
    says: /^There is no saved plan 0123456789abcdef\.$/,
    hint: /coppice plan$/,
  },
  {
    met: 'an unknown run',
    line: 'undo nothing',
    code: 'not-found',
    says: /^There is no run nothing\.$/,
    hint: /coppice runs$/,
  },
  {
    met: 'an unknown checkpoint',
    line: 'checkpoints show deadbeef',
    code: 'not-found',
    says: /no checkpoint/i,
    hint: /coppice checkpoints list/,
  },
  {
    met: 'a plan that is too old',
    line: 'apply ../old-plan.json --yes',
    code: 'refused',
    says: /old/,
    hint: /coppice plan$/,
  },
  {
    met: 'a question where nobody can answer',
    line: 'sessions prune --older-than 30d',
    code: 'refused',
    says: /^Nothing was changed: this needs a yes/,
    hint: /^To go ahead, add --yes\. To look first, add --dry-run$/,
  },
];

const UNUSABLE_HOMES: readonly Case[] = [
  {
    met: 'a home that was named and is not there',
    line: 'sessions list --home missing',
    code: 'not-found',
    says: /^There is no Coppice home at .*missing\.$/,
    hint: /coppice config init --home .*missing$/,
  },
  {
    met: 'a home that is a file',
    line: 'status',
    code: 'refused',
    says: /file is not a folder\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => ({ home: writtenFile(folder) }),
  },
  {
    met: 'a home below a file',
    line: 'status',
    code: 'refused',
    says: /^Something on the way to .*file\/below is not a folder\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => ({ home: join(writtenFile(folder), 'below'), cwd: folder }),
  },
  {
    met: 'a home where nothing may be made',
    line: 'status',
    code: 'refused',
    says: /^You may not read or write .*closed\/home, or its disk is read-only\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => {
      mkdirSync(join(folder, 'closed'), { mode: 0o555 });
      return { home: join(folder, 'closed', 'home'), cwd: folder, ...NOBODY };
    },
    possible: PERMISSIONS_BIND,
  },
  {
    met: 'a home that is read-only',
    line: 'sessions rename alpha-one New',
    code: 'refused',
    says: /^You may not read or write .*state\.db, or its disk is read-only\.$/,
    hint: /--home DIR\.$/,
    when: (folder) => {
      chmodSync(join(folder, 'home', 'state.db'), 0o444);
      chmodSync(join(folder, 'home'), 0o555);
      return NOBODY;
    },
    possible: PERMISSIONS_BIND,
  },
  {
    met: 'a configuration that may not be read',
    line: 'status',
    code: 'bad-config',
    says: /config\.yaml: The file cannot be read/,
    hint: /coppice config check$/,
    when: (folder) => {
      chmodSync(join(folder, 'home'), 0o755);
      writeFileSync(join(folder, 'home', 'config.yaml'), '', { mode: 0o000 });
      return NOBODY;
    },
    possible: PERMISSIONS_BIND,
  },
  {
    met: 'a project that may not be read',
    line: 'checkpoints take closed',
    code: 'refused',
    says: /^You may not enter .*closed\.$/,
    hint: /^Check who owns it, then try again\.$/,
    when: (folder) => {
      chmodSync(folder, 0o777);
      mkdirSync(join(folder, 'closed'), { mode: 0o700 });
      return { home: join(folder, 'own'), ...NOBODY };
    },
    possible: PERMISSIONS_BIND && 'uid' in NOBODY,
  },
  {
    met: 'no HOME',
    line: 'status',
    code: 'usage',
    says: /^Nothing says where your home directory is/,
    hint: /--home DIR or COPPICE_HOME\.$/,
    when: () => ({ env: { HOME: '', COPPICE_HOME: '' } }),
    possible: process.platform !== 'win32',
  },
  {
    met: 'broken YAML',
    line: 'status',
    code: 'bad-config',
    says: /config\.yaml:\d+:\d+: This is not valid YAML/,
    hint: /coppice config check$/,
    when: (folder) => configured(folder, 'sessions:\n  retention_days: [3\n'),
  },
  {
    met: 'a typo in a key of the configuration',
    line: 'status',
    code: 'bad-config',
    says: /config\.yaml:1:1: sesions: There is no such key\. Did you mean sessions\?$/,
    hint: /coppice config check$/,
    when: (folder) => configured(folder, 'sesions:\n  retention_days: 3\n'),
  },
  {
    met: 'a database that was cut off',
    line: 'status',
    code: 'integrity',
    says: /^SQLite cannot read .*state\.db: it is damaged\.$/,
    hint: /coppice sessions import DAMAGED-HOME\/sessions --home NEW-HOME$/,
    when: (folder) => {
      truncateSync(join(folder, 'home', 'state.db'), 5000);
      return {};
    },
  },
  {
    met: 'a database that is damaged inside',
    line: 'sessions list',
    code: 'integrity',
    says: /^SQLite cannot read .*: it is damaged\.$/,
    hint: /coppice sessions import DAMAGED-HOME\/sessions --home NEW-HOME$/,
    when: (folder) => {
      const file = join(folder, 'home', 'state.db');
      const bytes = readFileSync(file);
      writeFileSync(file, Buffer.concat([bytes.subarray(0, 3 * 4096), Buffer.alloc(bytes.length - 3 * 4096, 0xa5)]));
      return {};
    },
  },
  {
    met: 'a home of a newer version',
    line: 'status',
    code: 'integrity',
    says: /newer/,
    hint: /./,
    when: (folder) => {
      using(join(folder, 'home', 'state.db'), (database) => database.pragma('user_version = 999'));
      return {};
    },
  },
  {
    met: 'a home that another process is changing',
    line: 'sessions prune --older-than 30d --yes',
    code: 'locked',
    says: /^Another process is changing what this home keeps/,
    hint: /coppice runs list$/,
    when: (folder) => held(join(folder, 'home', 'lock.db')),
  },
  {
    met: 'a database that stays busy',
    line: 'sessions rename alpha-one New',
    code: 'locked',
    says: /was busy for 30 s/,
    hint: /coppice sessions list --active$/,
    when: (folder) => held(join(folder, 'home', 'state.db')),
    possible: PATIENT,
  },
  {
    met: 'a full disk',
    line: 'status',
    code: 'failed',
    says: /^There is no space left on the disk that holds .*\.$/,
    hint: /coppice sessions gc$/,
    when: (folder) => {
      const disk = join(folder, 'disk');
      stops.push(mountDisk(disk, '64k'));
      return { home: join(disk, 'home') };
    },
    possible: CAN_MOUNT,
  },
];

const MISSING_PARTS: readonly Case[] = [
  {
    met: 'no git',
    line: 'checkpoints take .',
    code: 'failed',
    says: /^git is not installed, and checkpoints need it\.$/,
    hint: /^Install git \(for example: apt-get install git\)/,
    when: (folder) => {
      mkdirSync(join(folder, 'project'));
      return { cwd: join(folder, 'project'), env: { PATH: join(folder, 'project') } };
    },
  },
  {
    met: 'a port that is in use',
    alone: true,
    line: 'serve',
    code: 'locked',
    says: /^Another program listens on port \d+ already\.$/,
    hint: /--port N\.$/,
    when: async () => {
      const server = createServer();
      await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
      stops.push(() => server.close());
      return { words: ['--port', String((server.address() as { port: number }).port)] };
    },
  },
  {
    met: 'no daemon',
    line: 'sessions list --remote http://127.0.0.1:9',
    code: 'failed',
    says: /^No daemon answers at http:\/\/127\.0\.0\.1:9\.$/,
    hint: /coppice serve$/,
    when: () => ({ env: { COPPICE_TOKEN: 'x' } }),
  },
  {
    met: 'no token',
    line: 'sessions list --remote http://127.0.0.1:9',
    code: 'usage',
    says: /^There is no token in .*token\.$/,
    hint: /^Set COPPICE_TOKEN, .*coppice serve$/,
  },
  {
    met: 'an address that is none',
    line: 'sessions list --remote nowhere',
    code: 'usage',
    says: /^'nowhere' is not where a daemon can be\.$/,
    hint: /http:\/\/127\.0\.0\.1:7717/,
  },
  {
    met: 'a wrong token',
    line: 'sessions list',
    code: 'refused',
    says: /^The daemon at http:.* does not accept this token\.$/,
    hint: /coppice serve$/,
    when: async (folder) => {
      const daemon = start(join(folder, 'home'), ['serve', '--port', '0', '--json']);
      stops.push(() => daemon.kill());
      const [line] = (await daemon.stdout.setEncoding('utf8').take(1).toArray()) as [string];
      return { words: ['--remote', (JSON.parse(line) as { url: string }).url], env: { COPPICE_TOKEN: 'wrong' } };
    },
  },
];

const CASES = [...WRONG_LINES, ...UNUSABLE_HOMES, ...MISSING_PARTS];

describe('what a newcomer may meet', () => {
  const possible = CASES.filter((one) => one.possible !== false);
  const impossible = CASES.filter((one) => one.possible === false);

  it.concurrent.for(possible)('$met: a sentence, the next step and the exit code', async (one) => {
    const folder = join(root, one.met.replaceAll(/\W+/g, '-'));
    mkdirSync(folder);
    cpSync(standard, join(folder, 'home'), { recursive: true });
    const { home = join(folder, 'home'), words = [], ...options } = (await one.when?.(folder)) ?? {};
    const args = [...one.line.split(' '), ...words];
    const running = coppice(home, args, options);
    if (one.alone === true) await running;
    const [text, json] = await Promise.all([running, coppice(home, ['--json', ...args], options)]);

    const { exit } = FAILURES[one.code];
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: exit, stdout: '' });
    const [, sentence = '', hint = ''] = /^coppice: (.+)\n(.+)\n$/.exec(text.stderr) ?? ['', text.stderr];
    expect(sentence).toMatch(one.says);
    expect(hint).toMatch(one.hint);
    expect(unrealCommands(hint)).toEqual([]);
    expect(text.stderr).not.toMatch(/^ +at |node:internal|undefined|\[object|did not expect/m);

    expect({ code: json.code, stdout: json.stdout }).toEqual({ code: exit, stdout: '' });
    expect(JSON.parse(json.stderr)).toMatchObject({
      schemaVersion: 1,
      error: { code: one.code, exitCode: exit, message: expect.stringMatching(one.says), hint: expect.any(String) },
    });
  });

  it.skip.each(impossible)('$met: cannot be brought about here', () => undefined);
});

describe('a program that is not whole', () => {
  const copy = join(root, 'copy');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(copy, 'bin', 'coppice.js'), ...args], {
      env: { HOME: copy, COPPICE_HOME: join(copy, 'home') },
      encoding: 'utf8',
    });

  beforeAll(() => {
    mkdirSync(join(copy, 'node_modules'), { recursive: true });
    for (const name of ['bin', 'dist']) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    copyFileSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
  });

  it('says so without its packages, and then without the compiled part of SQLite', () => {
    const bare = run('status');
    expect(bare.status).toBe(1);
    expect(bare.stderr).toBe('coppice: The packages that Coppice needs are not installed. Run: npm ci\n');

    const modules = join(ROOT, 'node_modules');
    for (const name of ['commander', 'croner', 'yaml', 'zod', 'bindings', 'file-uri-to-path'])
      symlinkSync(join(modules, name), join(copy, 'node_modules', name));
    for (const part of ['lib', 'package.json'])
      cpSync(join(modules, 'better-sqlite3', part), join(copy, 'node_modules', 'better-sqlite3', part), {
        recursive: true,
      });
    const unbuilt = run('status');
    expect(unbuilt.status).toBe(1);
    expect(unbuilt.stderr).toMatch(
      /^coppice: The package better-sqlite3 is not installed, or not for this Node\.js\.\nRun: npm rebuild better-sqlite3, .*\n$/,
    );
  });

  it('can say that Node.js is too old even there: its launcher loads nothing of ours, and is in plain syntax', () => {
    const launcher = readFileSync(BIN, 'utf8');
    const loaded = [...launcher.matchAll(/^import .* from '([^']+)'/gm)].map(([, name]) => name);
    expect(loaded).toEqual(['node:fs']);
    expect(launcher).not.toMatch(/\busing |\?\?=|\|\|=|&&=|\bwith \{|\.toSorted|\.at\(/);
  });
});

it('says nothing when the reader of its output has seen enough', async () => {
  const child = start(standard, ['sessions', 'list']);
  child.stdin.end();
  child.stdout.destroy();
  const { code, stderr } = await finished(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

function writtenFile(folder: string): string {
  const file = join(folder, 'file');
  writeFileSync(file, 'mine');
  return file;
}

function configured(folder: string, yaml: string): Met {
  writeFileSync(join(folder, 'home', 'config.yaml'), yaml);
  return {};
}

function using(file: string, work: (database: BetterSqlite3.Database) => unknown): void {
  const database = new BetterSqlite3(file);
  work(database);
  database.close();
}

/** Holds the lock of a database until all tests are done. */
function held(file: string): Met {
  const database = new BetterSqlite3(file);
  database.exec('BEGIN EXCLUSIVE');
  stops.push(() => database.close());
  return {};
}
