import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { sandbox } from '../e2e/run-coppice.ts';
import { buildHermesHome } from '../support/hermes-home.ts';
import { MOUNTS_WORK, onReadOnlyDisk } from '../support/read-only-mount.ts';

const PROGRAM = resolve(import.meta.dirname, '../support/host-program.js');
const { SQLITE_USE_URI: _, ...ENVIRONMENT } = process.env;

const root = sandbox();
const homes = { native: join(root, 'native'), foreign: join(root, 'foreign') };

beforeAll(async () => {
  buildHermesHome(homes.foreign, {
    sessions: [{ id: 'one', messages: ['hello from one'] }],
  });
  await using made = await openHome({
    path: homes.native,
    env: {},
    settings: [{ key: 'disk.ballast_mb', value: 'never' }],
  });
  const session = await made.sessions.create({ id: 'one', source: 'cli' });
  await session.append({ role: 'user', content: 'hello from one' });
});

/** What a host program reads in a home, and which variables of its environment are other than before. */
function read(home: string, before: readonly string[] = []): unknown {
  const [command, ...args] = [...before, process.execPath, PROGRAM, home];
  const { stdout, stderr } = spawnSync(command, args, { env: ENVIRONMENT, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const READ = { sessions: [{ id: 'one', texts: ['hello from one'] }], environment: [] };

describe.each(['native', 'foreign'] as const)('a program that opened a database before it opens a %s home', (kind) => {
  it('reads it, and finds its environment as it was', () => {
    expect(read(homes[kind])).toEqual(READ);
  });

  it.skipIf(!MOUNTS_WORK)('reads it on a disk on which nothing can be written', () => {
    const copy = join(root, `${kind}-copy`);
    cpSync(homes[kind], copy, { recursive: true });
    expect(read(copy, onReadOnlyDisk(copy))).toEqual(READ);
  });
});

describe('a database of another agent at rest', () => {
  it('is what it was when a program has read it that takes no addresses: no byte, no time, no file beside it', () => {
    const before = looksOf(homes.foreign);
    expect(read(homes.foreign)).toEqual(READ);
    expect(looksOf(homes.foreign)).toEqual(before);
  });
});

function looksOf(home: string) {
  const database = join(home, 'state.db');
  return {
    names: readdirSync(home),
    bytes: readFileSync(database).toString('latin1'),
    changedAt: statSync(database).mtimeMs,
  };
}
