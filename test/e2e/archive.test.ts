import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const root = sandbox();
const template = join(root, 'template');
let copies = 0;

/** Five sessions, from 100 days ago until yesterday. */
beforeAll(async () => {
  const startedAt = Date.now();
  let ageDays = 0;
  await using home = await openHome({ path: template, env: {}, clock: { now: () => startedAt - ageDays * DAY_MS } });
  for (const [id, age] of Object.entries({ 'old-one': 100, 'old-two': 90, 'old-cron': 80, "it's": 70, recent: 1 })) {
    ageDays = age;
    const source = id === 'old-cron' ? 'cron' : 'cli';
    const session = await home.sessions.create({ id, source, ...(id === 'old-one' && { title: 'Quinces' }) });
    await session.appendAll(
      Array.from({ length: 7 }, (_, at) => ({ role: 'user' as const, content: `${id} has needle${at}` })),
    );
    await session.end('done');
  }
});

/** A home of its own for one test. */
function copyHome(): string {
  const copy = join(root, `home-${(copies += 1)}`);
  cpSync(template, copy, { recursive: true });
  return copy;
}

interface SessionsJson {
  readonly sessions: readonly { id: string; archivedAt?: string; messages?: unknown[] }[];
}

const idsOf = ({ sessions }: SessionsJson) => sessions.map(({ id }) => id).toSorted();
const archiveOld = (home: string, ...more: string[]) =>
  coppice(home, ['sessions', 'archive', '--older-than', '30d', '--yes', ...more]);

describe('coppice sessions archive', () => {
  it('archives what is old enough, and lists it apart', async () => {
    const home = copyHome();
    const { code, stdout } = await archiveOld(home);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Archived 3 sessions \(.*\)\.\n1 session stays because of sessions\.keep_last: 1\. .*\nThe disk has .* more\.\nUndo with: /,
      ) as string,
    });
    expect(idsOf(await coppiceJson<SessionsJson>(home, ['sessions', 'list']))).toEqual(['old-cron', 'recent']);
    const archived = await coppiceJson<SessionsJson>(home, ['sessions', 'list', '--archived']);
    expect(idsOf(archived)).toEqual(["it's", 'old-one', 'old-two']);
    expect(archived.sessions.every(({ archivedAt }) => archivedAt !== undefined)).toBe(true);
    const { stdout: table } = await coppice(home, ['sessions', 'list', '--archived']);
    expect(table).toMatch(/old-one .* archived .* Quinces/);
    expect(table).toMatch(/old-two .* archived .* old-two has needle0/);
    expect(readdirSync(join(home, 'archive'))).toHaveLength(1);
  });

  it('shows what it would do, and changes nothing', async () => {
    const home = copyHome();
    const { code, stdout } = await coppice(home, ['sessions', 'archive', '--source', 'cli', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('3 sessions would be archived');
    expect(stdout).toContain('No age limit is in force');
    expect(stdout).not.toContain('can be given back for');
    expect(idsOf(await coppiceJson<SessionsJson>(home, ['sessions', 'list', '--archived']))).toEqual([]);
  });

  it('refuses without a yes where nobody can be asked', async () => {
    const home = copyHome();
    expect(await coppice(home, ['sessions', 'archive', '--older-than', '30d'])).toMatchObject({ code: 5, stdout: '' });
  });

  it('leaves sessions that can be found, shown and restored, and not changed', async () => {
    const home = copyHome();
    await archiveOld(home);
    const found = await coppice(home, ['sessions', 'search', 'needle3']);
    expect(found.stdout).toContain('old-one  Quinces  (archived)\n  cli, in what was asked');
    expect(found.stdout).toContain('recent\n');
    const shown = await coppice(home, ['sessions', 'show', "it's"]);
    expect(shown.stdout).toMatch(/^archived {4}\d{4}-/m);
    expect(shown.stdout).toContain(
      "It is archived, with its messages and files. Bring it back with: coppice sessions restore 'it'\\''s'",
    );
    const document = await coppiceJson<{ archivedAt: string; messages: unknown[] }>(home, [
      'sessions',
      'show',
      'old-o',
    ]);
    expect(document).toMatchObject({ archivedAt: expect.stringMatching(/Z$/) as string, messages: [] });
    for (const command of [
      ['pin', 'old-one'],
      ['rename', 'old-one', 'x'],
      ['end', 'old-one'],
      ['tail', 'old-one'],
      ['export', 'old-one'],
    ]) {
      const { code, stderr, stdout } = await coppice(home, ['sessions', ...command]);
      expect({ command, code, stdout, stderr }).toEqual({
        command,
        code: 5,
        stdout: '',
        stderr: 'coppice: Session old-one is archived.\nRestore it first with: coppice sessions restore old-one\n',
      });
    }
  });

  it('restores sessions by the first characters of their ids, exactly as they were', async () => {
    const home = copyHome();
    const before = await coppice(home, ['sessions', 'export', 'old-one', "it's"]);
    await archiveOld(home);
    const { code, stdout } = await coppice(home, ['sessions', 'restore', 'old-o', 'it']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Restored 2 sessions \(.*\)\.\n$/) as string,
    });
    const after = await coppice(home, ['sessions', 'export', 'old-one', "it's"]);
    const withoutTime = (text: string) => text.replace(/"exportedAt":"[^"]*"/, '');
    expect(withoutTime(after.stdout)).toBe(withoutTime(before.stdout));
    expect(await coppice(home, ['sessions', 'restore', 'recent'])).toMatchObject({ code: 5, stdout: '' });
    expect(await coppice(home, ['sessions', 'restore', 'nowhere'])).toMatchObject({ code: 10, stdout: '' });
    expect((await coppice(home, ['doctor'])).code).toBe(0);
  });

  it('is undone as a run, and its archives can be deleted and given back', async () => {
    const home = copyHome();
    await archiveOld(home);
    const removed = await coppice(home, ['sessions', 'delete', 'old-one', '--yes']);
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed 1 archived session') as string });
    expect((await coppice(home, ['sessions', 'show', 'old-one'])).code).toBe(10);
    expect(await coppice(home, ['undo', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Gave back 1 archived session') as string,
    });
    expect((await coppice(home, ['runs'])).stdout).toMatch(/any time/);
    expect(await coppice(home, ['undo', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Restored 3 sessions') as string,
    });
    expect(idsOf(await coppiceJson<SessionsJson>(home, ['sessions', 'list']))).toHaveLength(5);
    expect(readdirSync(join(home, 'archive'))).toEqual([]);
  });

  it('removes an archived session for good when told so', async () => {
    const home = copyHome();
    await archiveOld(home, '--title', 'quinces');
    expect(await coppice(home, ['sessions', 'delete', 'old-one', '--purge', '--yes'])).toMatchObject({ code: 0 });
    expect(readdirSync(join(home, 'archive'))).toEqual([]);
    expect((await coppice(home, ['undo', '--yes'])).code).toBe(10);
  });

  it('follows the configured age in a plan', async () => {
    const home = copyHome();
    const plan = await coppiceJson<{ decisions: { item: { id: string }; action: string; reason: string }[] }>(home, [
      '--set',
      'sessions.archive_after_days=30',
      '--set',
      'sessions.retention_days=never',
      'plan',
    ]);
    const going = plan.decisions.filter(({ action }) => action === 'archive');
    expect(going.map(({ item, reason }) => `${item.id} ${reason}`).toSorted()).toEqual([
      "it's archive-age",
      'old-one archive-age',
      'old-two archive-age',
    ]);
  });
});
