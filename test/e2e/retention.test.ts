import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { savePlan } from '../../src/app/retention/saved-plans.ts';
import { openHome } from '../../src/index.ts';
import { DAY_MS, listed, makeOldHome, oldHomes, type PlanJson, type RunJson, removed } from './old-home.ts';
import { coppice, coppiceJson } from './run-coppice.ts';

const { root, copyHome } = oldHomes();

/** All that a person sees or finds, and every byte of every session's files. */
async function seen(home: string) {
  const list = await coppice(home, ['sessions', 'list', '--json']);
  const found = await coppice(home, ['sessions', 'search', 'needle', '--limit', '200', '--json']);
  const files = readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' }).toSorted();
  const hashes = files
    .filter((name) => statSync(join(home, 'sessions', name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(home, 'sessions', name)))
          .digest('hex')}`,
    );
  return { list: list.stdout, found: found.stdout, hashes };
}

describe('from a look to an undo', () => {
  it('says what could go, removes exactly that, and gives it back as it was', async () => {
    const home = copyHome();
    const before = await seen(home);
    const status = await coppice(home, ['status']);
    expect(status.stdout).toMatch(/^CLASS +ITEMS +SIZE +HELD +CAN GO NOW/);
    expect(status.stdout).toMatch(/^Sessions +61 /m);
    expect(status.stdout).toMatch(/^Sessions +1 {2}pinned$/m);
    expect(status.stdout).toMatch(/items can go\. .*: coppice plan\n$/);

    const shown = await coppice(home, ['plan']);
    const [, id = ''] = /\n {2}coppice apply ([0-9a-f]{16})\n$/.exec(shown.stdout) ?? [];
    const saved = JSON.parse(readFileSync(join(home, 'plans', `${id}.json`), 'utf8')) as PlanJson;
    const gone = removed(saved);
    expect(gone.length).toBeGreaterThan(15);
    expect(await seen(home)).toEqual(before);

    const applied = await coppice(home, ['apply', id, '--yes']);
    expect({ code: applied.code, stderr: applied.stderr }).toEqual({ code: 0, stderr: '' });
    expect(applied.stdout).toContain(`Removed ${gone.length} sessions (`);
    const [, run = ''] = /^Undo until \d{4}-\d\d-\d\d: coppice undo ([0-9a-f-]{36})$/m.exec(applied.stdout) ?? [];
    const left = await listed(home);
    expect(left.filter((session) => gone.includes(session))).toEqual([]);
    expect(left).toHaveLength(61 - gone.length);
    const { found } = await seen(home);
    expect(gone.filter((session) => found.includes(`"id": "${session}"`))).toEqual([]);
    expect((await coppice(home, ['apply', id, '--yes'])).code).toBe(10);
    expect((await coppice(home, ['plan'])).stdout).toMatch(/^Nothing would go\./);

    const undone = await coppice(home, ['undo', '--yes']);
    expect(undone.code).toBe(0);
    expect(undone.stdout).toContain(`Gave back ${gone.length} sessions (`);
    expect(await seen(home)).toEqual(before);
    const again = await coppice(home, ['undo', run, '--yes']);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 10, stdout: '' });
    expect(again.stderr).toMatch(/has nothing left to give back\.\n.*coppice runs show/);
    expect((await coppice(home, ['doctor'])).code).toBe(0);
  });

  it('prints the command that does what other settings would do, and says what is missing without them', async () => {
    const home = copyHome();
    const shown = await coppice(home, ['plan', '--set', 'sessions.retention_days=20']);
    const [, command = ''] = /\n {2}coppice (apply .*)\n$/.exec(shown.stdout) ?? [];
    const [, id = ''] = /^apply ([0-9a-f]{16}) --set sessions\.retention_days=20$/.exec(command) ?? [];
    const saved = JSON.parse(readFileSync(join(home, 'plans', `${id}.json`), 'utf8')) as PlanJson;
    const file = join(root, 'other-settings.json');
    writeFileSync(file, JSON.stringify(saved));

    const applied = await coppice(home, [...command.split(' '), '--yes']);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toContain(`Removed ${removed(saved).length} sessions (`);

    const without = await coppice(copyHome(), ['apply', file, '--yes']);
    expect(without.code).toBe(3);
    expect(without.stdout).toContain('A plan that was made with --set is applied with the same --set.');
  });

  it('has an alias for those who look for df, in help too', async () => {
    const home = copyHome();
    expect((await coppice(home, ['df'])).stdout).toBe((await coppice(home, ['status'])).stdout);
    expect((await coppice(home, ['help', 'df'])).stdout).toMatch(/^Usage: coppice status\|df /);
  });

  it('prints documents for programs', async () => {
    const home = copyHome();
    const status = await coppiceJson<Record<string, unknown>>(home, ['status']);
    expect(status).toMatchObject({
      schemaVersion: 1,
      classes: [{ name: 'sessions', items: 61 }, {}, {}],
      problems: [],
    });
    const plan = await coppiceJson<PlanJson & Record<string, unknown>>(home, ['plan']);
    expect(plan).toMatchObject({ schemaVersion: 1, request: { kind: 'policy' }, notes: [], shortfalls: [] });
    expect(plan['madeAt']).toMatch(/^\d{4}-.*Z$/);
    expect(plan.totals.go.items + plan.totals.keep.items).toBe(plan.decisions.length);
    const applied = await coppiceJson<RunJson>(home, ['apply', plan.id, '--yes']);
    expect(applied).toMatchObject({ schemaVersion: 1, done: plan.totals.go.items, skipped: 0, interrupted: false });
    expect(applied.run.expiresAt).toMatch(/Z$/);
    const { runs } = await coppiceJson<{ runs: { id: string; totals: object }[] }>(home, ['runs']);
    expect(runs).toMatchObject([{ id: applied.run.id, totals: { trashed: { items: plan.totals.go.items } } }]);
    const run = await coppiceJson<{ items: object[] }>(home, ['runs', 'show', applied.run.id]);
    expect(run.items[0]).toMatchObject({ number: 1, kind: 'session', state: 'trashed' });
    const trash = await coppiceJson<{ items: object[] }>(home, ['trash', 'list']);
    expect(trash.items).toHaveLength(plan.totals.go.items);
    expect(trash.items[0]).toMatchObject({ run: applied.run.id, kind: 'session', expiresAt: applied.run.expiresAt });
  });
});

describe('a plan', () => {
  it('can be written to a file, printed for programs into one, and applied from there', async () => {
    const home = copyHome();
    const out = await coppice(home, ['plan', '--out', 'written.json']);
    expect(out.stdout).toMatch(/coppice apply .*written\.json\n$/);
    expect(statSync(join(root, 'written.json')).mode & 0o777).toBe(0o600);
    expect((await coppice(home, ['plan', '--out', 'written.json'])).code).toBe(5);
    const printed = join(root, 'printed.json');
    const { stdout } = await coppice(home, ['plan', '--json']);
    writeFileSync(printed, stdout);
    expect((await coppice(home, ['apply', 'printed.json', '--strict', '--yes'])).code).toBe(0);
    // What it names is gone, so the other plan has nothing left to do.
    const second = await coppice(home, ['apply', 'written.json', '--yes']);
    expect(second.code).toBe(3);
    expect(second.stdout).toMatch(/^Nothing was removed\.\nSkipped \d+/);
  });

  it('is refused when it was changed, damaged, made for another home or is too old', async () => {
    const home = copyHome();
    const { stdout } = await coppice(home, ['plan', '--json']);
    const refuse = async (text: string, says: RegExp) => {
      writeFileSync(join(root, 'bad.json'), text);
      const result = await coppice(home, ['apply', 'bad.json', '--yes']);
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 5, stdout: '' });
      expect(result.stderr).toMatch(says);
    };
    await refuse(stdout.replace('"id": "s4"', '"id": "s3"'), /was changed since it was made\.\n.*coppice plan/);
    await refuse(stdout.slice(0, 500), /bad\.json is not a plan\./);
    await refuse('{"decisions": []}', /bad\.json is not a plan\./);
    await refuse('[]', /bad\.json is not a plan\./);

    const other = join(root, 'other-home');
    await makeOldHome(other);
    const foreign = await coppiceJson<PlanJson>(other, ['plan', '--out', join(root, 'foreign.json')]);
    expect(foreign.totals.go.items).toBeGreaterThan(0);
    const refused = await coppice(home, ['apply', 'foreign.json', '--yes']);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringMatching(/made for another home/) as string });

    await using opened = await openHome({ path: home, env: {} });
    const old = savePlan(home, { ...(await opened.plan()), madeAt: Date.now() - 2 * DAY_MS }, Date.now());
    const expired = await coppice(home, ['apply', old, '--yes']);
    expect(expired).toMatchObject({ code: 5, stderr: expect.stringMatching(/more than a day old/) as string });
    expect(await listed(home)).toHaveLength(61);
  });

  it('is forgotten after a day', async () => {
    const home = copyHome();
    const { id } = await coppiceJson<PlanJson>(home, ['plan']);
    const file = join(home, 'plans', `${id}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const yesterday = new Date(Date.now() - 2 * DAY_MS);
    utimesSync(file, yesterday, yesterday);
    writeFileSync(join(home, 'plans', 'note.txt'), 'mine');
    utimesSync(join(home, 'plans', 'note.txt'), yesterday, yesterday);
    const next = await coppiceJson<PlanJson>(home, ['plan']);
    expect(readdirSync(join(home, 'plans')).toSorted()).toEqual([`${next.id}.json`, 'note.txt'].toSorted());
  });

  it('skips what has changed since, and with --strict does nothing at all then', async () => {
    const home = copyHome();
    const plan = await coppiceJson<PlanJson>(home, ['plan']);
    const [first = ''] = removed(plan);
    await coppice(home, ['sessions', 'pin', first]);
    const strict = await coppice(home, ['apply', plan.id, '--strict', '--yes']);
    expect({ code: strict.code, stdout: strict.stdout }).toEqual({ code: 5, stdout: '' });
    expect(strict.stderr).toMatch(new RegExp(`The plan no longer fits: ${first} would.*\n.*coppice plan`));
    expect(await listed(home)).toHaveLength(61);
    const applied = await coppice(home, ['apply', plan.id, '--yes']);
    expect(applied.code).toBe(3);
    expect(applied.stdout).toMatch(new RegExp(`Skipped 1 item:\n {2}${first}\n {4}It is pinned`));
    expect(await listed(home)).toContain(first);
  });

  it('says, and status too, when a tag that is to be kept is on no session', async () => {
    const home = copyHome();
    writeFileSync(join(home, 'config.yaml'), 'sessions:\n  keep_tags: [kep]\n', { mode: 0o600 });
    const note = /^Note: sessions\.keep_tags names "kep", but no session bears that tag\. Did you mean "keep"\?$/m;
    expect((await coppice(home, ['plan'])).stdout).toMatch(note);
    expect((await coppice(home, ['status'])).stdout).toMatch(note);
  });

  it('says which limit stays out of reach, and exits 4', async () => {
    const home = copyHome();
    const settings = ['--set', 'disk.min_free_mb=999999999'];
    const said =
      /The size limit stays out of reach: .* more would have to go\. In the way, with its part of the search index: /;
    const { code, stdout } = await coppice(home, ['plan', ...settings]);
    expect(code).toBe(4);
    expect(stdout).toMatch(said);
    const [, id = ''] = /\n {2}coppice apply ([0-9a-f]{16}) /.exec(stdout) ?? [];
    const applied = await coppice(home, ['apply', id, '--yes', '--for-good', ...settings]);
    expect(applied.code).toBe(4);
    expect(applied.stdout).toMatch(said);
  });
});

describe('coppice explain', () => {
  it('lists the rules that were asked, their limits, and the one that decides', async () => {
    const home = copyHome();
    const old = await coppice(home, ['explain', 's2']);
    expect(old.stdout).toMatch(
      /^s2\nTalk 2\ncli, last active \d{4}-\d\d-\d\d\nWould go \(remove, .*\): past its retention\.\n/,
    );
    expect(old.stdout).toMatch(/^past its retention +90 days +yes, so this decides$/m);
    expect(old.stdout).toMatch(/^pinned +no$/m);
    expect(old.stdout).toMatch(/^old enough for the archive +never +no, this rule is off$/m);
    expect(old.stdout).toMatch(/^more sessions than allowed +never +no, this rule is off$/m);
    const pinned = await coppice(home, ['explain', 's4']);
    expect(pinned.stdout).toMatch(/^s4\nTalk 4\n.*\nStays \(.*\): pinned\.\n/);
    expect(pinned.stdout).toMatch(/^pinned +yes, so this decides$/m);
    expect(await coppiceJson(home, ['explain', 's2'])).toMatchObject({ decision: { reason: 'retention' } });
  });

  it('knows files that no session owns', async () => {
    const home = copyHome();
    const stray = join(home, 'sessions', 'zz', 'lost');
    mkdirSync(stray, { recursive: true });
    writeFileSync(join(stray, 'transcript.jsonl'), 'lost');
    const { stdout } = await coppice(home, ['explain', 'sessions/zz/lost']);
    expect(stdout).toMatch(/^sessions\/zz\/lost\nfiles without a session\nStays \([\d.]+ [KM]?B\): too young\.\n/);
  });
});

describe('a session that is larger than the rules allow', () => {
  it('is named by status with the next step, for programs too, and stays', async () => {
    const home = copyHome();
    const limits = ['--set', 'sessions.max_messages=11', '--set', 'sessions.by_source.cron.max_messages=never'];
    const { stdout } = await coppice(home, ['status', ...limits]);
    expect(stdout).toMatch(/^\d+ sessions are larger than the rules allow, 0 still open\.$/m);
    expect(stdout).toMatch(/^ {2}The largest is Talk \d+ \(12 messages, .*\); allowed are 11 messages\.$/m);
    expect(stdout).toMatch(/sessions\.max_messages and sessions\.max_mb\.\n.*coppice sessions list --sort size$/m);
    const { oversized } = await coppiceJson<{ oversized: { source: string }[] }>(home, ['status', ...limits]);
    expect(oversized[0]).toMatchObject({ source: 'cli', open: false, messageCount: 12, maxMessages: 11 });
    expect(oversized.filter(({ source }) => source === 'cron')).toEqual([]);
    expect(await coppiceJson(home, ['status'])).toMatchObject({ oversized: [] });
    expect(await listed(home)).toHaveLength(61);
  });
});
