import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { RESERVE_TOLD } from '../support/reserve-told.ts';
import { changeDatabase, DAMAGES, overwrite, transcript } from './damages.ts';
import { makeExampleHome } from './example-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
const healthy = join(root, 'healthy');

beforeAll(() => makeExampleHome(healthy));

interface Check {
  readonly name: string;
  readonly problems: readonly { readonly kind: string; readonly subject: string; readonly message: string }[];
}

describe('coppice doctor', () => {
  it('says of a healthy home that everything was looked at and is in order', async () => {
    const before = snapshot(healthy);
    const { code, stdout, stderr } = await coppice(healthy, ['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of ['database file', 'search index', 'transcripts (11)', 'files'])
      expect(stdout).toContain(`ok    ${name}`);
    expect(stdout).toMatch(/\nEverything is in order\. Nothing was changed\.\n$/);
    const document = await coppiceJson<{ checks: Check[] }>(healthy, ['doctor']);
    expect(document).toMatchObject({ schemaVersion: 1, home: healthy, healthy: true });
    expect(document.checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(snapshot(healthy)).toEqual(before);
  });

  it.concurrent.each(DAMAGES)('names $what, and changes nothing', async ({ what, damage, kind, says, code }) => {
    const home = copyHome(what);
    damage(home);
    const before = snapshot(home);
    const [text, json] = await Promise.all([coppice(home, ['doctor']), coppice(home, ['doctor', '--json'])]);
    expect([text.code, json.code, text.stderr, json.stderr]).toEqual([code, code, '', '']);
    expect(text.stdout).toMatch(says);
    expect(text.stdout).toContain('Nothing was changed.');
    const document = JSON.parse(json.stdout) as { healthy: boolean; checks: Check[] };
    expect(document.healthy).toBe(code === 0);
    expect(document.checks.flatMap(({ problems }) => problems.map((problem) => problem.kind))).toEqual([kind]);
    expect(snapshot(home)).toEqual(before);
  });

  it.concurrent.each(DAMAGES.filter(({ left }) => left !== undefined))(
    'repairs $what as far as that is safe, and says each step',
    async ({ what, damage, kind, says, left }) => {
      const home = copyHome(`repair ${what}`);
      const readable = await contents(home);
      damage(home);
      const { code, stdout, stderr } = await coppice(home, ['doctor', '--repair']);
      expect({ code, stderr }).toEqual({ code: left?.code, stderr: expect.stringMatching(RESERVE_TOLD) as string });
      expect(stdout).toMatch(says);
      const again = await coppice(home, ['doctor', '--json']);
      const { checks } = JSON.parse(again.stdout) as { checks: Check[] };
      expect(checks.flatMap(({ problems }) => problems.map((problem) => problem.kind))).toEqual(left?.kinds);
      if (left?.kinds.length === 0)
        expect(stdout).toMatch(
          /\nEverything is in order\. Nothing that you .*removed\.\n(4 MB are kept as a reserve .*\n)?$/,
        );
      if (left?.kinds.includes(kind) === true) expect(stdout).toContain('This is left for you:');
      // A removal that was begun is finished; all else is as it was.
      if (kind !== 'unfinished-removal') expect(await contents(home)).toEqual(readable);
    },
  );

  it('finishes a run that was cut short, and does not say that nothing was changed', async () => {
    const home = homeWithRun('cut short');
    const { code, stdout } = await coppice(home, ['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /note {2}what had been cut short \(1\)\n +Run r1 had been cut short\. .* is finished now\.\n/,
    );
    expect(stdout).toMatch(/ Nothing else was changed\.\n$/);
    expect((await coppice(home, ['doctor'])).stdout).not.toContain('r1');
  });

  it('tells programs of a run that it finished, and a person who asks for a repair', async () => {
    const { checks } = await coppiceJson<{ checks: Check[] }>(homeWithRun('cut short json'), ['doctor']);
    const found = checks.flatMap(({ problems }) => problems).filter(({ subject }) => subject === 'r1');
    expect(found).toMatchObject([{ kind: 'run-taken-up' }]);
    const { code, stdout } = await coppice(homeWithRun('cut short repair'), ['doctor', '--repair']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Run r1 had been cut short\. What it had begun is finished now\./);
    expect(stdout).toMatch(/\nEverything is in order\. Nothing else that you or an agent wrote was removed\.\n/);
  });

  it('says that another process is at work, calls its run no leftover, and changes nothing', async () => {
    const home = homeWithRun('at work');
    writeFileSync(join(home, 'lock.db'), '', { mode: 0o600 });
    const before = snapshot(home);
    const lock = new BetterSqlite3(join(home, 'lock.db'));
    lock.exec('BEGIN EXCLUSIVE');
    const { code, stdout, stderr } = await coppice(home, ['doctor']);
    lock.close();
    expect(code).toBe(0);
    expect(stdout).not.toContain('r1');
    expect(stdout).toMatch(/ Nothing was changed\.\n$/);
    expect(stderr).toContain('Another process is changing');
    expect(snapshot(home)).toEqual(before);
  });

  it('writes back exactly the transcript that was lost, and keeps what it does not know', async () => {
    const home = copyHome('exact');
    const before = readFileSync(transcript(home));
    truncateSync(transcript(home), 300);
    await coppice(home, ['doctor', '--repair']);
    expect(readFileSync(transcript(home)).equals(before)).toBe(true);
    overwrite(transcript(home), 'lamp', before.indexOf('disk is full'));
    truncateSync(transcript(home), before.indexOf('disk is full') + 20);
    const changed = readFileSync(transcript(home));
    const { code, stdout } = await coppice(home, ['doctor', '--repair']);
    expect(code).toBe(12);
    expect(stdout).toMatch(
      /It holds something else than the messages of the session\. Move .* away, then run: coppice doc/,
    );
    expect(readFileSync(transcript(home)).equals(changed)).toBe(true);
    rmSync(transcript(home));
    expect((await coppice(home, ['doctor', '--repair'])).code).toBe(0);
    expect(readFileSync(transcript(home)).equals(before)).toBe(true);
  });

  it('prints what it repaired for programs', async () => {
    const home = copyHome('repair-json');
    rmSync(transcript(home));
    expect(await coppiceJson(home, ['doctor', '--repair'])).toMatchObject({
      schemaVersion: 1,
      healthy: true,
      repairs: [
        {
          name: 'transcripts',
          begun: 'Writing 1 transcript again from the database.',
          done: '1 transcript complete again.',
          left: [],
        },
      ],
      remaining: [],
    });
  });

  it('writes nothing to a database that is damaged, and says so', async () => {
    const home = copyHome('repair damaged');
    overwrite(join(home, 'state.db'), '\u0000'.repeat(4096), 4096 * 3);
    rmSync(transcript(home));
    const before = snapshot(home);
    const { code, stdout } = await coppice(home, ['doctor', '--repair']);
    expect(code).toBe(12);
    expect(stdout).toMatch(/Copy the home somewhere safe/);
    expect(snapshot(home)).toEqual(before);
  });

  it.concurrent.each([
    ['inside', (home: string) => overwrite(join(home, 'state.db'), '\u0000'.repeat(4096), 4096 * 3)],
    ['in its first bytes', (home: string) => overwrite(join(home, 'state.db'), 'not a database at all', 0)],
    ['at its end', (home: string) => truncateSync(join(home, 'state.db'), 8192)],
  ])('names a database that is damaged %s, and changes nothing', async (where, damage) => {
    const home = copyHome(`damaged ${where}`);
    damage(home);
    const before = snapshot(home);
    const { code, stdout, stderr } = await coppice(home, ['doctor']);
    expect(code).toBe(12);
    expect(stdout + stderr).toMatch(/SQLite (reports|cannot read)/);
    expect(stdout + stderr).not.toMatch(/^ +at /m);
    expect(snapshot(home)).toEqual(before);
  });

  it('refuses a database of something else, and changes nothing', async () => {
    const home = join(root, 'foreign');
    mkdirSync(home, { mode: 0o700 });
    changeDatabase(home, 'CREATE TABLE recipes (name TEXT)');
    const before = snapshot(home);
    const { code, stdout, stderr } = await coppice(home, ['doctor']);
    expect({ code, stdout }).toEqual({ code: 12, stdout: '' });
    expect(stderr).toMatch(/^coppice: .*state\.db is a database that Coppice did not write\.\nNothing was changed\./);
    expect(snapshot(home)).toEqual(before);
  });

  it('names the mistakes of a configuration first', async () => {
    const home = copyHome('config');
    writeFileSync(join(home, 'config.yaml'), 'sessions:\n  retention_days: soon\n', { mode: 0o600 });
    const before = snapshot(home);
    const { code, stdout, stderr } = await coppice(home, ['doctor']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^coppice: .*config\.yaml:2:\d+: sessions\.retention_days: /);
    expect(snapshot(home)).toEqual(before);
  });

  it('does not begin a home', async () => {
    const home = join(root, 'nowhere');
    const { code, stdout, stderr } = await coppice(home, ['doctor']);
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    expect(stderr).toContain('coppice config init');
    expect(existsSync(home)).toBe(false);
  });
});

function copyHome(name: string): string {
  const home = join(root, name.replaceAll(' ', '-'));
  cpSync(healthy, home, { recursive: true, preserveTimestamps: true });
  chmodSync(home, 0o700);
  return home;
}

/** A home in which a run began and did not end. */
function homeWithRun(name: string): string {
  const home = copyHome(name);
  changeDatabase(home, 'INSERT INTO runs VALUES (\'r1\', \'{"kind":"policy"}\', 1, NULL, 2)');
  return home;
}

/** Some sessions with all their messages, as people get them. */
async function contents(home: string): Promise<string> {
  return (await coppice(home, ['sessions', 'export', 'alpha-disk', 'alpha-two', 'many'])).stdout;
}

/** Every path with its mode and content. The helper files of SQLite come and go as connections do. */
function snapshot(home: string): Record<string, string> {
  const entries = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => !/-(wal|shm)$/.test(path));
  return Object.fromEntries(['.', ...entries].toSorted().map((path) => [path, describeEntry(join(home, path))]));
}

function describeEntry(path: string): string {
  const stat = lstatSync(path);
  const content = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'dir';
  return `${(stat.mode & 0o777).toString(8)} ${content}`;
}
