import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { savePlan } from '../../src/app/saved-plans.ts';
import { type Home, openHome } from '../../src/index.ts';
import { coppice, coppiceJson, finished, sandbox, start } from './run-coppice.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SESSIONS = 60;

const root = sandbox();
const template = join(root, 'template');
let copies = 0;

beforeAll(() => makeOldHome(template));

/** Sessions from 120 days ago until yesterday: every tenth is empty, the one after it has three messages. */
async function makeOldHome(path: string): Promise<void> {
  const startedAt = Date.now();
  let ageDays = 0;
  await using home = await openHome({ path, env: {}, clock: { now: () => startedAt - ageDays * DAY_MS } });
  for (let at = 0; at < SESSIONS; at += 1) {
    ageDays = 121 - at * 2;
    const source = at % 3 === 0 ? 'cron' : 'cli';
    const session = await home.sessions.create({ id: `s${at}`, source, title: `Talk ${at}`, workdir: '/repo' });
    const messages = at % 10 === 0 ? 0 : at % 10 === 1 ? 3 : 12;
    const words = Array.from({ length: messages }, (_, line) => ({
      role: 'user' as const,
      content: `needle of s${at}, line ${line}`,
    }));
    if (messages > 0) await session.appendAll(words);
    if (at % 7 === 2) await session.dump({ method: 'POST', url: 'https://api.example.com', body: { at } });
    if (at === 4) await session.pin();
    if (at === 5) await session.tag({ add: ['keep'] });
    await session.end(at % 2 === 0 ? 'done' : 'timeout');
  }
  ageDays = 0.5;
  const open = await home.sessions.create({ id: 'open', source: 'cli' });
  await open.append({ role: 'user', content: 'I may come back.' });
  await open.release();
}

/** A home of its own for one test. */
function copyHome(): string {
  const copy = join(root, `home-${(copies += 1)}`);
  cpSync(template, copy, { recursive: true });
  return copy;
}

interface PlanJson {
  readonly id: string;
  readonly totals: Record<'go' | 'keep' | 'forGood', { items: number; sizeBytes: number }>;
  readonly decisions: readonly { item: { kind: string; id: string }; action: string; reason: string }[];
}

interface RunJson {
  readonly run: { id: string; expiresAt: string };
  readonly done: number;
  readonly skipped: number;
  readonly items: readonly { id: string; status: string; detail?: string }[];
}

const removed = ({ decisions }: PlanJson) =>
  decisions.filter(({ action }) => action === 'remove').map(({ item }) => item.id);

async function listed(home: string): Promise<string[]> {
  const { sessions } = await coppiceJson<{ sessions: { id: string }[] }>(home, ['sessions', 'list']);
  return sessions.map(({ id }) => id);
}

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

    await using past = await openHome({ path: home, env: {}, clock: { now: () => Date.now() - 2 * DAY_MS } });
    const old = savePlan(home, await past.plan(), Date.now());
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

  it('says which limit stays out of reach, and exits 4', async () => {
    const home = copyHome();
    const { code, stdout } = await coppice(home, ['plan', '--set', 'disk.min_free_mb=999999999']);
    expect(code).toBe(4);
    expect(stdout).toMatch(/The size limit stays out of reach: .* more would have to go\. In the way: /);
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
    expect(stdout).toMatch(/^sessions\/zz\/lost\nfiles without a session\nStays \(4 B\): too young\.\n/);
  });
});

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
    expect(done.stdout).toMatch(/^Removed 14 sessions \(.*\)\.\nUndo until .*: coppice undo [0-9a-f-]{36}\n$/);
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
});

describe('coppice sessions delete', () => {
  it('removes what is named, and nothing without a yes', async () => {
    const home = copyHome();
    expect(await coppice(home, ['sessions', 'delete', 's58'])).toMatchObject({ code: 5, stdout: '' });
    const done = await coppice(home, ['sessions', 'delete', 's58', 's58', 's59', '--yes']);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/^Removed 2 sessions \(.*\)\.\nUndo until /);
    expect(await listed(home)).toHaveLength(59);
  });

  it('takes whole ids only, and does nothing when one of them is unknown', async () => {
    const home = copyHome();
    for (const id of ['s', 's*', 'nobody', '../x']) {
      const result = await coppice(home, ['sessions', 'delete', 's58', id, '--yes']);
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 10, stdout: '' });
      expect(result.stderr).toMatch(/Nothing was removed\.\n.*coppice sessions list/);
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
    expect(purged.stdout).toMatch(/^Removed 1 session \(.*\)\.\nThis cannot be undone\.\n$/);
    expect((await coppice(home, ['undo', '--yes'])).code).toBe(10);
    expect((await coppice(home, ['trash', 'list'])).stdout).toBe('The trash is empty.\n');
    expect((await coppice(home, ['runs'])).stdout).toMatch(/delete 1 session +1 .* no$/m);
  });
});

describe('the trash', () => {
  it('gives back one session of a run, and empties for good', async () => {
    const home = copyHome();
    const { run } = await coppiceJson<RunJson>(home, ['sessions', 'delete', 's57', 's58', 's59', '--yes']);
    const list = await coppice(home, ['trash', 'list']);
    expect(list.stdout).toMatch(new RegExp(`^Run ${run.id}\ndelete 3 sessions\n3 items, .*, kept until `));
    expect(list.stdout).toMatch(/^s57 +Talk 57 +.* remove +named by you$/m);
    const unknown = await coppice(home, ['trash', 'restore', run.id, 's57', 's1']);
    expect(unknown).toMatchObject({ code: 10, stdout: '' });
    const restored = await coppice(home, ['trash', 'restore', run.id, 's57']);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Gave back 1 session \(/) as string });
    expect(await listed(home)).toContain('s57');
    const shown = await coppice(home, ['runs', 'show', run.id]);
    expect(shown.stdout).toMatch(/^s57 .* given back$/m);
    expect(shown.stdout).toMatch(/^s58 .* in the trash$/m);

    expect(await coppice(home, ['trash', 'empty'])).toMatchObject({ code: 2, stdout: '' });
    expect((await coppice(home, ['trash', 'empty', '--expired', '--yes'])).stdout).toBe('There is nothing to empty.\n');
    expect(await coppice(home, ['trash', 'empty', run.id])).toMatchObject({ code: 5, stdout: '' });
    const emptied = await coppice(home, ['trash', 'empty', run.id, '--yes']);
    expect(emptied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Removed 2 items for good \(/) as string });
    expect((await coppice(home, ['undo', run.id, '--yes'])).code).toBe(10);
    expect(await listed(home)).toHaveLength(59);
    expect((await coppice(home, ['doctor'])).code).toBe(0);
  });

  it('empties everything, or only what can no longer be undone', async () => {
    const home = copyHome();
    await using past: Home = await openHome({ path: home, env: {}, clock: { now: () => Date.now() - 10 * DAY_MS } });
    await past.apply(await past.plan({ kind: 'delete', ids: ['s1'] }));
    const { run } = await coppiceJson<RunJson>(home, ['sessions', 'delete', 's2', '--yes']);
    const expired = await coppiceJson<{ runs: string[]; itemCount: number }>(home, [
      'trash',
      'empty',
      '--expired',
      '--yes',
    ]);
    expect(expired.itemCount).toBe(1);
    expect(expired.runs).not.toContain(run.id);
    expect(await coppiceJson(home, ['trash', 'empty', '--all', '--yes'])).toMatchObject({
      runs: [run.id],
      itemCount: 1,
    });
  });
});

describe('Ctrl-C while a plan is applied', () => {
  it('stops between two groups, says how to go on, and leaves a run that the next command finishes', async () => {
    const home = join(root, 'interrupted');
    await makeManyEmpty(home, 5000);
    const { id, totals } = await coppiceJson<PlanJson>(home, ['plan']);
    expect(totals.go.items).toBe(5000);
    const child = start(home, ['apply', id, '--yes']);
    const ended = finished(child);
    await until(() => count(home, "SELECT count(*) FROM sessions WHERE state = 'trashed'") > 0);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/^Removed [\d,]+ sessions? \(.*\)\.\nUndo until .*: coppice undo [0-9a-f-]{36}\n$/);
    expect(stderr).toMatch(/Stopped\. What is left was not touched\. To go on, make a new plan: coppice plan\n$/);
    const gone = count(home, "SELECT count(*) FROM sessions WHERE state = 'trashed'");
    expect(gone).toBeGreaterThan(0);
    expect(gone).toBeLessThan(5000);
    expect(count(home, "SELECT count(*) FROM run_items WHERE state = 'trashed'")).toBe(gone);
    expect((await coppice(home, ['doctor'])).stdout).toMatch(/Run [0-9a-f-]{36} is at work, or was cut short\./);

    const rest = await coppiceJson<PlanJson>(home, ['plan']);
    expect(rest.totals.go.items).toBe(5000 - gone);
    const again = await coppice(home, ['apply', rest.id, '--yes']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(await listed(home)).toEqual([]);
    expect(count(home, 'SELECT count(*) FROM runs WHERE finished_at IS NULL')).toBe(0);
    expect((await coppice(home, ['doctor'])).stdout).not.toContain('cut short');
  });
});

/** Many sessions without messages, written in one go: what counts is how many there are. */
async function makeManyEmpty(home: string, sessions: number): Promise<void> {
  await (await openHome({ path: home, env: {} })).close();
  const at = Date.now() - 30 * DAY_MS;
  const database = new BetterSqlite3(join(home, 'state.db'));
  database.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${sessions})
    INSERT INTO sessions (id, state, source, started_at, last_active_at, ended_at, end_reason)
    SELECT 'empty-' || n, 'live', 'cli', ${at}, ${at}, ${at}, 'done' FROM numbers`);
  database.close();
}

function count(home: string, sql: string): number {
  const database = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
  try {
    return Number(database.prepare(sql).pluck().get());
  } finally {
    database.close();
  }
}

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

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

describe('a session that is larger than the rules allow', () => {
  it('is named by status with the next step, for programs too, and stays', async () => {
    const home = copyHome();
    const limits = ['--set', 'sessions.max_messages=11', '--set', 'sessions.by_source.cron.max_messages=never'];
    const { stdout } = await coppice(home, ['status', ...limits]);
    expect(stdout).toMatch(/^\d+ sessions are larger than the rules allow, 0 still open\.$/m);
    expect(stdout).toMatch(/^ {2}The largest is Talk \d+ \(12 messages, .*\); allowed are 11 messages\.$/m);
    expect(stdout).toMatch(/sessions\.max_messages and sessions\.max_mb\.\n.*coppice sessions list --sort bytes$/m);
    const { oversized } = await coppiceJson<{ oversized: { source: string }[] }>(home, ['status', ...limits]);
    expect(oversized[0]).toMatchObject({ source: 'cli', open: false, messageCount: 12, maxMessages: 11 });
    expect(oversized.filter(({ source }) => source === 'cron')).toEqual([]);
    expect(await coppiceJson(home, ['status'])).toMatchObject({ oversized: [] });
    expect(await listed(home)).toHaveLength(61);
  });
});

it('waits for another that changes the home, and exits 11 when it does not end', async () => {
  const home = copyHome();
  await coppice(home, ['sessions', 'delete', 's59', '--yes']);
  const lock = new BetterSqlite3(join(home, 'lock.db'));
  lock.exec('BEGIN EXCLUSIVE');
  const { code, stdout, stderr } = await coppice(home, ['sessions', 'gc', '--yes']);
  lock.close();
  expect({ code, stdout }).toEqual({ code: 11, stdout: '' });
  expect(stderr).toMatch(/Another process is changing what this home keeps.*\n.*try again/);
});

/** Refused lines: what was typed, the exit code, the sentence, and the next step. */
const REFUSED: readonly [line: string, code: number, says: RegExp, hint: RegExp][] = [
  ['apply', 2, /Missing required argument 'plan'\./, /coppice apply --help/],
  ['apply 0000000000000000', 10, /There is no saved plan 0000000000000000\./, /coppice plan/],
  ['apply nowhere.json', 10, /There is no plan .*nowhere\.json\./, /id that coppice plan printed/],
  ['apply ..', 10, /There is no plan /, /id that coppice plan printed/],
  ['plan --out no/such/plan.json', 2, /The folder .* does not exist\./, /Create it first/],
  ['explain nobody', 10, /There is no session with the id nobody\./, /coppice sessions list/],
  ['undo nothing --yes', 10, /There is no run nothing\./, /coppice runs/],
  ['undo', 10, /There is nothing to undo/, /coppice runs/],
  ['runs show', 2, /Missing required argument 'run'\./, /coppice runs show --help/],
  ['runs show nothing', 10, /There is no run nothing\./, /coppice runs/],
  ['trash restore nothing', 10, /There is no run nothing\./, /coppice runs/],
  ['trash empty', 2, /not said what to empty/, /--expired .* --all/],
  ['trash empty --expired --all', 2, /Only one can be chosen/, /--expired .* --all/],
  ['trash empty nothing --yes', 10, /There is no run nothing\./, /coppice runs/],
  ['sessions delete', 2, /Missing required argument 'id'\./, /coppice sessions delete --help/],
  ['sessions prune --older-than soon', 2, /--older-than takes a date or an age/, /--older-than 90d/],
  ['sessions prune --older-than 5m', 2, /could mean minutes or months/, /--older-than 5min/],
  ['sessions prune --older-than 0', 2, /--older-than 0 would be everything/, /--older-than 90d/],
  ['sessions prune --older-than 2999-01-01', 2, /would be everything/, /--older-than 90d/],
  ['sessions prune --older-than -5', 2, /--older-than takes a date or an age/, /--older-than 90d/],
  ['sessions prune --max-messages 0', 2, /whole number above zero/, /--max-messages 20/],
  ['sessions prune --files-only --include-files', 2, /--files-only keeps them/, /Leave one of the two out/],
  ['sessions gc --empty-hours 0', 2, /whole number above zero/, /--empty-hours 20/],
  ['sessions gc --trivial-days x', 2, /whole number above zero/, /--trivial-days 20/],
  ['plan --set sessions.retention_days=0', 2, /sessions\.retention_days/, /coppice config check/],
];

describe('a line that is refused', () => {
  it.concurrent.each(REFUSED)('%j exits %i with a sentence and the next step', async (line, code, says, hint) => {
    const result = await coppice(template, line.split(' '));
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    const [sentence = '', ...rest] = result.stderr.split('\n');
    expect(sentence).toMatch(says);
    expect(rest.join('\n')).toMatch(hint);
  });
});
