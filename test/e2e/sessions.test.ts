import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_IDS, makeExampleHome } from './example-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const root = sandbox();
const home = join(root, 'home');

interface SessionJson {
  readonly id: string;
  readonly title?: string;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly endReason?: string;
  readonly [name: string]: unknown;
}

interface ListJson {
  readonly schemaVersion: number;
  readonly sessions: readonly SessionJson[];
}

beforeAll(() => makeExampleHome(home));

const idsOf = (text: string) =>
  text
    .split('\n')
    .slice(1)
    .map((line) => line.split('  ')[0])
    .filter((id) => id !== '');

async function list(...options: string[]): Promise<readonly string[]> {
  const { sessions } = await coppiceJson<ListJson>(home, ['sessions', 'list', ...options]);
  return sessions.map(({ id }) => id);
}

describe('an empty home', () => {
  const empty = join(root, 'empty', '.coppice');

  it('is made at the first command, and each says what to do next', async () => {
    const none = 'There are no sessions yet.\nBring some in with: coppice sessions import FOLDER\n';
    expect(await coppice(empty, ['sessions', 'list'], { cwd: root })).toEqual({ code: 0, stdout: none, stderr: '' });
    expect(existsSync(join(empty, 'state.db'))).toBe(true);
    expect((await coppice(empty, ['sessions', 'stats'])).stdout).toBe(none);
    expect((await coppice(empty, ['sessions', 'list', '--active'])).stdout).toContain('No session matches.');
    expect((await coppice(empty, ['sessions', 'search', 'words'])).stdout).toContain('No session matches.');
  });

  it('has empty lists for programs', async () => {
    const nothing = { schemaVersion: 1, sessions: [] };
    expect(await coppiceJson(empty, ['sessions', 'list'])).toEqual({ ...nothing, total: 0 });
    expect(await coppiceJson(empty, ['sessions', 'search', 'words'])).toEqual(nothing);
    const total = { sessions: 0, messages: 0, sizeBytes: 0 };
    expect(await coppiceJson(empty, ['sessions', 'stats'])).toMatchObject({ schemaVersion: 1, total, bySource: [] });
  });
});

describe('coppice sessions list', () => {
  it('prints a table, most recent first, with titles or the first words', async () => {
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ID +LAST ACTIVE +SOURCE +STATE +MESSAGES +SIZE +TOKENS +COST +TITLE\n/);
    expect(stdout).toMatch(/^running +just now +telegram +open +1 .* Still there\?$/m);
    expect(stdout).toMatch(/^alpha-disk .* ended +4 .* 50k +\$1\.25 +Disk trouble$/m);
    expect(idsOf(stdout)).toHaveLength(13);
    expect(idsOf(stdout)[0]).toBe('running');
  });

  it('says how to see more when it stops early', async () => {
    const { stdout, stderr } = await coppice(home, ['sessions', 'list', '--limit', '2']);
    expect(idsOf(stdout)).toHaveLength(2);
    expect(stderr).toBe('\nThere are more. Add --limit 10 to see them.\n');
  });

  it('gives programs whole numbers and ISO times', async () => {
    const { schemaVersion, sessions } = await coppiceJson<ListJson>(home, ['sessions', 'list']);
    expect(schemaVersion).toBe(1);
    expect(sessions).toHaveLength(13);
    for (const session of sessions) {
      expect(session['startedAt']).toMatch(ISO);
      expect(session['lastActiveAt']).toMatch(ISO);
      for (const name of ['sizeBytes', 'contentBytes', 'messageCount'])
        expect(session[name]).toSatisfy(Number.isInteger);
    }
  });

  it('filters by source, age and activity', async () => {
    expect(await list('--source', 'telegram')).toEqual(['running', 'alpha-two']);
    expect(await list('--active')).toEqual(['running']);
    expect(await list('--since', '7d')).toEqual(['running', 'hostile\u202eid', 'empty', 'cron_backup']);
    expect(await list('--before', '30d')).toEqual(['alpha-two', 'alpha-disk']);
    expect(await list('--before', '30d', '--since', '60d')).toEqual(['alpha-two']);
    expect(await list('--since', '2000-01-01', '--limit', '1')).toEqual(['running']);
  });

  it.concurrent.each([
    ['last', 'running'],
    ['messages', 'many'],
    ['bytes', 'many'],
    ['tokens', 'alpha-two'],
    ['cost', 'alpha-disk'],
  ])('sorts by %s', async (sort, first) => {
    expect((await list('--sort', sort))[0]).toBe(first);
  });
});

describe('coppice sessions show', () => {
  it('shows the facts and the newest messages', async () => {
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'show', 'alpha-d']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^session +alpha-disk\ntitle +Disk trouble\nsource +cli\n/);
    expect(stdout).toMatch(/^messages +4, with 1 tool call$/m);
    expect(stdout).toMatch(/^used +large: 50k tokens, \$1\.25$/m);
    expect(stdout).toContain('→ bash {"command":"df -h"}');
    expect(stdout).toContain('Remove the old logs.');
    expect(stdout).not.toContain('transcript.jsonl');
  });

  it('shows as many messages as asked, and says what it leaves out', async () => {
    const some = await coppice(home, ['sessions', 'show', 'many', '--messages', '1']);
    expect(some.stdout).toContain('Line 30');
    expect(some.stdout).not.toContain('Line 29');
    expect(some.stderr).toBe('\nShown: the newest of 30 messages. Add --messages all to see every one.\n');
    const all = await coppice(home, ['sessions', 'show', 'many', '--messages', 'all']);
    expect(all.stdout).toContain('Line 1\n');
    expect(all.stderr).toBe('');
  });

  it('lists the files', async () => {
    const { stdout } = await coppice(home, ['sessions', 'show', 'alpha-disk', '--files', '--messages', '1']);
    expect(stdout).toMatch(/^ +\d.* B {2}\/.*\/transcript\.jsonl$/m);
    expect(stdout).toMatch(/\/dumps\/.*\.json$/m);
    const none = await coppice(home, ['sessions', 'show', 'cron_backup', '--files']);
    expect(none.stdout).toContain('It keeps no files.');
  });

  it('gives programs one session by its own fields, with every message', async () => {
    const session = await coppiceJson(home, ['sessions', 'show', 'alpha-disk', '--files']);
    expect(session).toMatchObject({
      schemaVersion: 1,
      id: 'alpha-disk',
      endReason: 'done',
      startedAt: expect.stringMatching(ISO) as string,
      usageByModel: [{ model: 'large', inputTokens: 50_000 }],
      messages: [
        { seq: 1 },
        { toolCalls: [{ name: 'bash' }] },
        { name: 'bash' },
        { at: expect.stringMatching(ISO) as string },
      ],
    });
    const { files } = session as { files: { path: string; sizeBytes: number }[] };
    expect(files).toHaveLength(2);
    for (const { path, sizeBytes } of files) expect([existsSync(path), sizeBytes > 0]).toEqual([true, true]);
  });

  it.concurrent.each(HOSTILE_IDS)('finds the session that is called %s', async (id) => {
    const { code, stdout } = await coppice(home, ['sessions', 'show', '--', id]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Words of ${id}`);
  });
});

describe('coppice sessions search', () => {
  const found = async (...words: string[]) => {
    const { sessions } = await coppiceJson<ListJson>(home, ['sessions', 'search', ...words]);
    return sessions.map(({ id }) => id);
  };

  it('marks what it found, with the place', async () => {
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'search', 'logs']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^alpha-disk {2}Disk trouble\n {2}cli, assistant message #4, .*\n {2}Remove the old \[logs\]\./,
    );
  });

  it('finds words, phrases, parts of words, titles and text without spaces, and leaves words out', async () => {
    expect(await found('disk', 'again')).toEqual(['alpha-disk']);
    expect(await found('"is full"')).toEqual(['alpha-disk']);
    expect(await found('troubl')).toEqual(['alpha-disk']);
    expect(await found('emov')).toEqual(['alpha-disk']);
    expect(await found('已满')).toEqual(['alpha-two']);
    expect(await found('words -fox -dash')).toHaveLength(HOSTILE_IDS.length - 2);
    expect(await found('still', '--source', 'cli')).toEqual([]);
  });

  it('stops at the limit and says so', async () => {
    const { stdout, stderr } = await coppice(home, ['sessions', 'search', 'words', '--limit', '2']);
    expect(stdout.match(/\[Words\]/g)).toHaveLength(2);
    expect(stderr).toBe('There are more. Add --limit 10 to see them.\n');
  });

  it('tells programs where each match is', async () => {
    const { sessions } = await coppiceJson<ListJson>(home, ['sessions', 'search', 'logs']);
    expect(sessions).toMatchObject([
      {
        id: 'alpha-disk',
        match: 'words',
        message: { seq: 4, role: 'assistant', at: expect.stringMatching(ISO) as string },
      },
    ]);
    const excerpts = sessions.map(({ excerpt }) => excerpt as { text: string; marks: [number, number][] });
    expect(excerpts.flatMap(({ text, marks }) => marks.map((mark) => text.slice(...mark)))).toEqual(['logs']);
  });
});

describe('coppice sessions stats', () => {
  it('counts by source, age and kind of file, what could go, and gives a tip', async () => {
    const { code, stdout, stderr } = await coppice(home, ['sessions', 'stats']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^13 sessions, 44 messages, .* KB\n/);
    for (const line of [/^telegram +2 +2 /m, /^in the last hour +1 +1 /m, /^longer ago +1 +4 /m, /^transcripts +11 /m])
      expect(stdout).toMatch(line);
    expect(stdout).toMatch(/^COULD GO +SESSIONS +SIZE\nempty +1 +0 B\n/m);
    expect(stdout).toMatch(/^Tip: .*\n$/m);
  });

  it('gives programs the same numbers', async () => {
    const stats = await coppiceJson(home, ['sessions', 'stats']);
    expect(stats).toMatchObject({
      schemaVersion: 1,
      total: { sessions: 13, messages: 44 },
      tip: expect.any(String) as string,
    });
    const { byFileKind } = stats as { byFileKind: { kind: string; files: number; sizeBytes: number }[] };
    expect(byFileKind.find(({ kind }) => kind === 'dump')).toMatchObject({ files: 1 });
    for (const { sizeBytes } of byFileKind) expect(sizeBytes).toSatisfy(Number.isInteger);
  });
});

describe('changing sessions', () => {
  const own = join(root, 'own');
  beforeAll(() => makeExampleHome(own));

  it('pins and unpins several, and one that fails does not stop the others', async () => {
    const pinned = await coppice(own, ['sessions', 'pin', 'many', 'running']);
    expect(pinned).toEqual({
      code: 0,
      stdout: 'many  "A long talk", ended (done), pinned\nrunning  open, pinned\n',
      stderr: '',
    });
    const partly = await coppice(own, ['sessions', 'unpin', 'nobody', 'many']);
    expect(partly).toMatchObject({ code: 3, stdout: 'many  "A long talk", ended (done)\n' });
    expect(partly.stderr).toMatch(/^coppice: There is no session with the id or title nobody\.\n/);
    const { sessions } = await coppiceJson<ListJson>(own, ['sessions', 'pin', 'many', 'running']);
    expect(sessions.map(({ id, pinned: state }) => [id, state])).toEqual([
      ['many', true],
      ['running', true],
    ]);
  });

  it('renames, tags and ends one session, and gives programs its own fields', async () => {
    expect((await coppice(own, ['sessions', 'rename', 'empty', 'Nothing 磁盘'])).stdout).toBe(
      'empty  "Nothing 磁盘", ended (done)\n',
    );
    const tagged = await coppiceJson<SessionJson>(own, [
      'sessions',
      'tag',
      'alpha-d',
      '--add',
      'a',
      '--add',
      'b',
      '--remove',
      'ops',
    ]);
    expect(tagged).toMatchObject({ schemaVersion: 1, id: 'alpha-disk', tags: ['a', 'b'] });
    const ended = await coppiceJson<SessionJson>(own, ['sessions', 'end', 'running', '--reason', 'enough']);
    expect(ended).toMatchObject({ id: 'running', endReason: 'enough' });
  });

  it.concurrent.each(HOSTILE_IDS)('renames the session that is called %s, and no other', async (id) => {
    const renamed = await coppiceJson<SessionJson>(own, ['sessions', 'rename', '--', id, 'new']);
    expect([renamed.id, renamed.title]).toEqual([id, 'new']);
  });
});
