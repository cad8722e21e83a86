import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeExampleHome } from './example-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
const healthy = join(root, 'healthy');

beforeAll(() => makeExampleHome(healthy));

interface Check {
  readonly name: string;
  readonly problems: readonly { readonly kind: string; readonly subject: string; readonly message: string }[];
}

interface Damage {
  readonly what: string;
  readonly damage: (home: string) => void;
  readonly kind: string;
  readonly says: RegExp;
  readonly code: number;
}

const DAMAGES: readonly Damage[] = [
  {
    what: 'a transcript that lost its end',
    damage: (home) => truncateSync(transcript(home), lstatSync(transcript(home)).size - 10),
    kind: 'transcript-behind',
    says: /The transcript of alpha-disk lacks 10 bytes at its end\./,
    code: 12,
  },
  {
    what: 'a transcript with something added',
    damage: (home) => appendFileSync(transcript(home), 'garbage'),
    kind: 'transcript-ahead',
    says: /The transcript of alpha-disk holds 7 bytes that were never acknowledged\./,
    code: 12,
  },
  {
    what: 'a transcript that was changed inside',
    damage: (home) => overwrite(transcript(home), 'XXXX', 2),
    kind: 'transcript-damaged',
    says: /The transcript of alpha-disk is damaged in line 1\./,
    code: 12,
  },
  {
    what: 'a transcript that is gone',
    damage: (home) => rmSync(transcript(home)),
    kind: 'transcript-missing',
    says: /The transcript of alpha-disk is missing\./,
    code: 12,
  },
  {
    what: 'a file that Coppice does not write',
    damage: (home) => writeFileSync(join(dirname(transcript(home)), 'notes.txt'), 'mine'),
    kind: 'unknown-file',
    says: /alpha-disk\/notes\.txt is not a file that Coppice writes\. It is left alone\./,
    code: 0,
  },
  {
    what: 'a directory of no session',
    damage: (home) => mkdirSync(join(home, 'sessions', '00', 'nobody'), { recursive: true }),
    kind: 'orphan',
    says: /sessions\/00\/nobody belongs to no session that the database knows\./,
    code: 0,
  },
  {
    what: 'what an interrupted write left',
    damage: (home) => writeFileSync(join(dirname(transcript(home)), '.tmp-12-0123456789abcdef'), 'half'),
    kind: 'debris',
    says: /\.tmp-12-0123456789abcdef was left behind by a write that was interrupted\./,
    code: 0,
  },
  {
    what: 'a database that others can read',
    damage: (home) => chmodSync(join(home, 'state.db'), 0o644),
    kind: 'open-to-others',
    says: /state\.db can be read by other users of this machine\.\n.*chmod go-rwx /,
    code: 0,
  },
  {
    what: 'a search index that lacks a message',
    damage: (home) =>
      changeDatabase(home, "INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', 1, 'nothing')"),
    kind: 'index-wrong',
    says: /The search index message_words does not agree with what is stored/,
    code: 12,
  },
  {
    what: 'a message count that is wrong',
    damage: (home) => changeDatabase(home, "UPDATE sessions SET message_count = 7 WHERE id = 'many'"),
    kind: 'count-wrong',
    says: /Session many says it has 7 messages; 30 are there\./,
    code: 12,
  },
];

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

function transcript(home: string): string {
  const paths = readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' });
  const path = paths.find((candidate) => candidate.endsWith(join('alpha-disk', 'transcript.jsonl'))) ?? '';
  return join(home, 'sessions', path);
}

function overwrite(path: string, text: string, at: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, text, at);
  closeSync(file);
}

function changeDatabase(home: string, sql: string): void {
  const database = new BetterSqlite3(join(home, 'state.db'));
  database.exec(sql);
  database.close();
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
