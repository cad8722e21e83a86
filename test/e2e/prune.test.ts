import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Home, openHome } from '../../src/index.ts';
import { DAY_MS, listed, oldHomes, type PlanJson, type RunJson, removed, SESSIONS } from './old-home.ts';
import { coppice, coppiceJson } from './run-coppice.ts';

const { root, copyHome } = oldHomes();

describe('coppice sessions prune', () => {
  it('shows what would go in a dry run, whose plan can be applied', async () => {
    const home = copyHome();
    const line = ['sessions', 'prune', '--older-than', '90d', '--source', 'cli'];
    const dry = await coppice(home, [...line, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(await listed(home)).toHaveLength(61);
    const plan = await coppiceJson<PlanJson>(home, [...line, '--dry-run']);
    expect(plan).toMatchObject({ request: { kind: 'prune', filter: { source: 'cli' }, part: 'all' } });
    const applied = await coppiceJson<RunJson>(home, ['apply', plan.id, '--strict', '--yes']);
    expect(applied.items.map(({ id }) => id).toSorted()).toEqual(removed(plan).toSorted());
  });

  it('asks nobody where there is no terminal, and goes ahead with --yes', async () => {
    const home = copyHome();
    const refused = await coppice(home, ['sessions', 'prune', '--older-than', '90']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 5, stdout: '' });
    expect(refused.stderr).toMatch(/^coppice: Nothing was changed: .*\n.*--yes.*--dry-run\n$/);
    expect(await listed(home)).toHaveLength(61);
    const done = await coppice(home, ['sessions', 'prune', '--older-than', '90', '--yes']);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(
      /^Removed 14 sessions \(.*\)\.\n1 session stays because of sessions\.keep_tags: keep\. .*\n(?:The disk has .* more\. )?About .* is freed when the trash is emptied\.\nUndo until .*: coppice undo [0-9a-f-]{36}\n$/,
    );
    const left = await listed(home);
    expect(left).toEqual(expect.arrayContaining(['s4', 's5', 's59', 'open']));
    expect(left).toHaveLength(61 - 14);
  });

  it('says first when there is a filter and no age', async () => {
    const { stdout } = await coppice(copyHome(), ['sessions', 'prune', '--ended-by', 'timeout', '--dry-run']);
    expect(stdout).toMatch(/^Note: No age limit is in force/);
  });

  it('takes only files when asked, by either name', async () => {
    const home = copyHome();
    for (const flag of ['--files-only', '--keep-rows']) {
      const plan = await coppiceJson<PlanJson>(home, ['sessions', 'prune', '--older-than', '90', flag, '--dry-run']);
      expect(plan.decisions.map(({ action }) => action)).toContain('drop-files');
      expect(removed(plan)).toEqual([]);
    }
    const done = await coppice(home, ['sessions', 'prune', '--older-than', '90', '--files-only', '--yes']);
    expect(done.stdout).toMatch(/^Removed the files of \d+ sessions/);
    expect(await listed(home)).toHaveLength(61);
    expect((await coppice(home, ['undo', '--yes'])).stdout).toMatch(/^Gave back the files of \d+ sessions/);
  });

  it('with --files-only also takes files that no session owns, and undo brings them back', async () => {
    const home = copyHome();
    const stray = (name: string, ageDays: number, file = 'transcript.jsonl') => {
      const dir = join(home, 'sessions', 'zz', name);
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, file), `${name}\n`);
      const at = new Date(Date.now() - ageDays * DAY_MS);
      for (const path of [join(dir, file), dir]) utimesSync(path, at, at);
      return dir;
    };
    const old = stray('gone-long-ago', 100);
    const kept = [stray('gone-lately', 2), stray('from-the-future', -2), stray('not-ours', 100, 'thesis.docx')];
    const line = ['sessions', 'prune', '--files-only', '--older-than', '90'];
    const { decisions } = await coppiceJson<PlanJson>(home, [...line, '--dry-run']);
    const taken = decisions.filter(({ item, action }) => item.kind === 'orphan' && action !== 'keep');
    expect(taken.map(({ item, reason }) => `${item.id} ${reason}`)).toEqual(['sessions/zz/gone-long-ago orphan']);
    const narrowed = await coppiceJson<PlanJson>(home, [...line, '--source', 'cli', '--dry-run']);
    expect(narrowed.decisions.filter(({ item, action }) => item.kind === 'orphan' && action !== 'keep')).toEqual([]);
    const done = await coppice(home, [...line, '-y']);
    expect(done.code).toBe(0);
    expect(existsSync(old)).toBe(false);
    for (const path of kept) expect(existsSync(path)).toBe(true);
    expect((await coppice(home, ['undo', '-y'])).code).toBe(0);
    expect(readFileSync(join(old, 'transcript.jsonl'), 'utf8')).toBe('gone-long-ago\n');
  });

  it('narrows down by every filter', async () => {
    const home = copyHome();
    const prune = async (...flags: readonly string[]) =>
      removed(await coppiceJson<PlanJson>(home, ['sessions', 'prune', ...flags, '--dry-run']));
    expect(await prune('--title', 'talk 13')).toEqual(['s13']);
    expect(await prune('--model', 'nothing')).toEqual([]);
    expect(await prune('--workdir', '/repo/other')).toEqual([]);
    expect(await prune('--max-messages', '2', '--older-than', '100')).toEqual(['s0', 's10']);
    expect(await prune('--title', 'talk 13', '--include-files')).toEqual(['s13']);
  });
});

describe('coppice sessions gc', () => {
  it('removes sessions without messages and with only a few', async () => {
    const home = copyHome();
    const dry = await coppiceJson<PlanJson>(home, ['sessions', 'gc', '--dry-run']);
    const few = Array.from({ length: SESSIONS }, (_, at) => at).filter((at) => at % 10 < 2);
    expect(removed(dry).toSorted()).toEqual(few.map((at) => `s${at}`).toSorted());
    expect(
      removed(await coppiceJson<PlanJson>(home, ['sessions', 'gc', '--trivial-max', '2', '--dry-run'])),
    ).toHaveLength(6);
    expect(await coppice(home, ['sessions', 'gc'])).toMatchObject({ code: 5, stdout: '' });
    expect(await listed(home)).toHaveLength(61);
    const done = await coppice(home, ['sessions', 'gc', '--yes']);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Removed 12 sessions/) as string });
    expect(await coppice(home, ['sessions', 'gc', '--yes'])).toMatchObject({
      code: 0,
      stdout: 'Nothing was removed.\n',
    });
  });

  it('takes its limits from what was typed', async () => {
    const home = copyHome();
    const gc = ['sessions', 'gc', '--dry-run', '--source', 'cli'];
    const strict = await coppiceJson<PlanJson>(home, [...gc, '--empty-hours', '2400', '--trivial-days', '100']);
    expect(removed(strict)).toEqual(['s1', 's10']);
  });

  it('goes by what is configured for each source, unless a limit was typed', async () => {
    const home = copyHome();
    const config =
      'sessions:\n  by_source:\n    cron:\n      trivial_max: 2\n    cli:\n      empty_hours: never\n      trivial_days: 60\n';
    writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
    const gc = async (...more: readonly string[]) =>
      removed(await coppiceJson<PlanJson>(home, ['sessions', 'gc', '--dry-run', ...more])).toSorted();
    // Of cron only the empty ones, of cli only what is older than sixty days; every third session is of cron.
    expect(await gc()).toEqual(['s0', 's1', 's10', 's11', 's20', 's30']);
    expect(await gc('--source', 'cron', '--trivial-max', '3')).toEqual(['s0', 's21', 's30', 's51']);
    expect(await gc('--source', 'cli', '--trivial-days', '1')).toEqual([
      's1',
      's10',
      's11',
      's20',
      's31',
      's40',
      's41',
      's50',
    ]);
  });

  it('with --empty-hours goes below the least age, and below no other hold', async () => {
    const home = join(root, 'young');
    const startedAt = Date.now();
    {
      await using made = await openHome({ path: home, env: {}, clock: { now: () => startedAt - 2 * 3_600_000 } });
      for (const id of ['empty', 'pinned', 'open', 'said']) {
        const session = await made.sessions.create({ id, source: 'cli' });
        if (id === 'said') await session.append({ role: 'user', content: 'Hello.' });
        if (id === 'pinned') await session.pin();
        if (id === 'open') await session.release();
        else await session.end('done');
      }
    }
    const gc = async (...more: readonly string[]) =>
      removed(await coppiceJson<PlanJson>(home, ['sessions', 'gc', '--dry-run', ...more]));
    expect(await gc()).toEqual([]);
    expect(await gc('--empty-hours', '3')).toEqual([]);
    expect(await gc('--empty-hours', '1')).toEqual(['empty']);
    expect((await coppice(home, ['sessions', 'gc', '--empty-hours', '1', '-y'])).code).toBe(0);
    expect((await listed(home)).toSorted()).toEqual(['open', 'pinned', 'said']);
  });
});

describe('coppice sessions delete', () => {
  it('removes what is named, and nothing without a yes', async () => {
    const home = copyHome();
    expect(await coppice(home, ['sessions', 'delete', 's58'])).toMatchObject({ code: 5, stdout: '' });
    const done = await coppice(home, ['sessions', 'delete', 's58', 's58', 's59', '--yes']);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(
      /^Removed 2 sessions \(.*\)\.\n.*About .* is freed when the trash is emptied\.\nUndo until /,
    );
    expect(await listed(home)).toHaveLength(59);
  });

  it('does nothing when one of them is unknown, or could be several', async () => {
    const home = copyHome();
    for (const [id, code] of [
      ['s', 2],
      ['s*', 10],
      ['nobody', 10],
      ['../x', 10],
    ] as const) {
      const result = await coppice(home, ['sessions', 'delete', 's58', id, '--yes']);
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
      expect(result.stderr).toMatch(/Nothing was removed\. .*coppice sessions list/);
    }
    expect(await listed(home)).toHaveLength(61);
  });

  it('leaves what is held, and says what to do first', async () => {
    const home = copyHome();
    await using live: Home = await openHome({ path: home, env: {} });
    const busy = await live.sessions.create({ id: 'busy', source: 'cli' });
    await busy.append({ role: 'user', content: 'Working.' });
    const result = await coppice(home, ['sessions', 'delete', 's4', 'busy', 'open', 's58', '--yes']);
    expect(result.code).toBe(3);
    expect(result.stdout).toMatch(/^Removed 1 session \(.*\)\.\nSkipped 3/);
    expect(result.stdout).toMatch(/^ {2}s4\n {4}Pinned\. First: coppice sessions unpin s4$/m);
    expect(result.stdout).toMatch(/^ {2}busy\n {4}In use\. First stop what uses it, then: coppice sessions end busy$/m);
    expect(result.stdout).toMatch(/^ {2}open\n {4}Still open\. First: coppice sessions end open$/m);
    const held = await coppice(home, ['sessions', 'delete', 's4', '--yes']);
    expect(held).toMatchObject({ code: 3, stdout: expect.stringMatching(/^Nothing was removed\./) as string });
    await coppice(home, ['sessions', 'unpin', 's4']);
    await coppice(home, ['sessions', 'end', 'open']);
    expect((await coppice(home, ['sessions', 'delete', 's4', 'open', '--yes'])).code).toBe(0);
    expect(await listed(home)).toContain('busy');
  });

  it('takes a conversation only as a whole', async () => {
    const home = copyHome();
    await using past: Home = await openHome({ path: home, env: {}, clock: { now: () => Date.now() - 5 * DAY_MS } });
    const link = { parentId: 's58', childKind: 'continuation' } as const;
    await (await past.sessions.create({ id: 'more', source: 'cli', ...link })).end('done');
    const part = await coppice(home, ['sessions', 'delete', 's58', '--yes']);
    expect(part.code).toBe(3);
    expect(part.stdout).toMatch(/ {2}s58\n {4}A conversation goes only as a whole\. Name these too: more\n$/);
    expect((await coppice(home, ['sessions', 'delete', 's58', 'more', '--yes'])).code).toBe(0);
  });

  it('removes for good with --purge', async () => {
    const home = copyHome();
    const purged = await coppice(home, ['sessions', 'delete', 's58', '--purge', '--yes']);
    expect(purged.stdout).toMatch(/^Removed 1 session \(.*\)\.\nThis cannot be undone\.\nThe disk has .* more\.\n$/);
    expect((await coppice(home, ['undo', '--yes'])).code).toBe(10);
    expect((await coppice(home, ['trash', 'list'])).stdout).toBe('The trash is empty.\n');
    expect((await coppice(home, ['runs'])).stdout).toMatch(/delete 1 session +1 .* no$/m);
  });
});

describe('sessions of a schedule', () => {
  it('leave rows only and go early when their source says so, and nothing else does', async () => {
    const home = join(root, 'schedule');
    const startedAt = Date.now();
    let ageDays = 10;
    {
      await using made = await openHome({ path: home, env: {}, clock: { now: () => startedAt - ageDays * DAY_MS } });
      for (const source of ['cron', 'cli']) {
        for (ageDays = 10; ageDays > 0; ageDays -= 2) {
          const session = await made.sessions.create({ id: `${source}-${ageDays}`, source });
          await session.appendAll(Array.from({ length: 8 }, (_, at) => ({ role: 'user', content: `needle ${at}` })));
          await session.end('done');
        }
      }
    }
    const files = readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => path.includes('cron'))).toEqual([]);
    expect(files.filter((path) => path.includes('cli-') && path.endsWith('transcript.jsonl'))).toHaveLength(5);
    // Without a word about it, a schedule keeps what everything else keeps.
    expect(removed(await coppiceJson<PlanJson>(home, ['plan']))).toEqual([]);

    writeFileSync(join(home, 'config.yaml'), 'sessions:\n  by_source:\n    cron:\n      retention_days: 3\n', {
      mode: 0o600,
    });
    const plan = await coppiceJson<PlanJson>(home, ['plan']);
    expect(removed(plan)).toEqual(['cron-10', 'cron-8', 'cron-6', 'cron-4']);
    expect((await coppice(home, ['apply', plan.id, '--yes'])).code).toBe(0);
    expect((await listed(home)).toSorted()).toEqual(['cli-10', 'cli-2', 'cli-4', 'cli-6', 'cli-8', 'cron-2']);
    expect((await coppice(home, ['undo', '--yes'])).code).toBe(0);
    expect(await listed(home)).toHaveLength(10);
    expect((await coppice(home, ['doctor'])).code).toBe(0);
  });
});
