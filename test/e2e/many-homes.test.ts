import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHermesHome } from '../support/hermes-home.ts';
import { treeState } from '../support/hermes-tree.ts';
import { machineHomes } from '../support/machine-homes.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
let copies = 0;
beforeAll(() => machineHomes(join(root, 'template')));

/** A person with both homes, for a test that changes something. */
function person() {
  const home = join(root, `person-${(copies += 1)}`);
  cpSync(join(root, 'template'), home, { recursive: true });
  return { home, own: join(home, '.coppice'), hermes: join(home, '.hermes') };
}

const ids = (sessions: readonly { id: string; home?: string }[]) => sessions.map(({ id, home }) => `${home} ${id}`);

interface MachineJson {
  readonly homes: readonly {
    name: string;
    sessions?: number;
    sizeBytes?: number;
    error?: { message: string };
    canGo?: { items: number };
    spend?: { month?: { costUsd: number; atLeast?: true } };
  }[];
  readonly totals: { sessions: number; sizeBytes: number };
}

describe('coppice without a command', () => {
  it('shows every home that is found, and what they keep together', async () => {
    const { own, hermes } = person();
    const before = treeState(hermes);
    const { code, stdout, stderr } = await coppice(own, []);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^native +Coppice +3 /m);
    expect(stdout).toMatch(/^hermes +Hermes +3 /m);
    expect(stdout).toMatch(/^All of them +2 homes +6 /m);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/items .* can go\. See which and why with: coppice plan$/);
    expect(treeState(hermes)).toEqual(before);
    const { homes, totals } = await coppiceJson<MachineJson>(own, []);
    expect(homes.map(({ name, sessions }) => [name, sessions])).toEqual([
      ['native', 3],
      ['hermes', 3],
    ]);
    expect(totals.sizeBytes).toBe(homes.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0));
  });

  it('says of a home that cannot be read why, and shows the others', async () => {
    const { own, home } = person();
    const broken = join(home, '.hermes', 'profiles', 'broken');
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, 'state.db'), 'this is no database at all');
    const { code, stdout } = await coppice(own, []);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^hermes-broken +Hermes +not read/m);
    expect(stdout).toMatch(/^hermes-broken: .+/m);
    expect(stdout).toMatch(/^hermes +Hermes +3 /m);
  });

  it('makes nothing where there is nothing, and says how to begin', async () => {
    const own = join(root, 'nobody', '.coppice');
    mkdirSync(join(root, 'nobody'));
    const { code, stdout } = await coppice(own, []);
    expect(code).toBe(0);
    expect(stdout).toContain('coppice homes add PATH');
    expect(existsSync(own)).toBe(false);
  });
});

describe('commands over all homes', () => {
  it('keep the document of the home in use, and hold those of the others in it', async () => {
    const { own, home } = person();
    const many = await coppiceJson<{
      home: { path: string };
      others: { name: string; document: { home: { path: string } } }[];
    }>(own, ['status']);
    const { others, ...rest } = many;
    expect(rest.home.path).toBe(own);
    expect(others.map(({ name, document }) => [name, document.home.path])).toEqual([['hermes', join(home, '.hermes')]]);
    const one = await coppiceJson<object>(own, ['status', '--home', 'native']);
    expect(Object.keys(one)).toEqual(Object.keys(rest));
  });

  it('say of a machine with one home what they said before there were others', async () => {
    const { own, home } = person();
    const alone = join(home, 'alone');
    cpSync(own, join(alone, '.coppice'), { recursive: true });
    const { stdout } = await coppice(join(alone, '.coppice'), ['status']);
    expect(stdout).toMatch(/^CLASS/);
    expect(stdout).not.toContain('--home');
    expect(await coppiceJson(join(alone, '.coppice'), ['status'])).not.toHaveProperty('others');
  });

  it('plan for each home, apply what was shown in each, and undo what was done last', async () => {
    const { own } = person();
    const shown = (await coppice(own, ['plan'])).stdout;
    const [, first = '', second = ''] = /coppice apply ([0-9a-f]{16}) ([0-9a-f]{16})\n$/.exec(shown) ?? [];
    expect(shown).toContain(`coppice apply ${second} --home hermes`);
    const applied = await coppice(own, ['apply', first, second, '--yes']);
    expect(applied.stdout).toMatch(/^native .*\n(.*\n)+\nhermes /);
    expect(applied.code).toBe(0);
    const left = await coppiceJson<{ sessions: { id: string; home: string }[] }>(own, ['sessions', 'list']);
    expect(ids(left.sessions)).toEqual(['hermes hermes-new', 'native native-new', 'hermes both']);
    const back = await coppiceJson<{ items: { id: string }[] }>(own, ['undo', '--yes']);
    expect(back.items.map(({ id }) => id)).toEqual(['hermes-old']);
    const again = await coppiceJson<{ items: { id: string }[] }>(own, ['undo', '--yes']);
    expect(again.items.map(({ id }) => id).toSorted()).toEqual(['both', 'native-old']);
    expect((await coppice(own, ['undo', '--yes'])).code).toBe(10);
  });

  it('list and search as one, and go on page by page', async () => {
    const { own } = person();
    const { stdout } = await coppice(own, ['sessions', 'list']);
    expect(stdout.split('\n')[0]).toMatch(/^ID +HOME +LAST ACTIVE/);
    type Page = { total: number; next?: string; sessions: { id: string; home: string }[] };
    const seen: string[] = [];
    let cursor: string[] = [];
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await coppiceJson<Page>(own, ['sessions', 'list', '--limit', '2', ...cursor]);
      expect(page.total).toBe(6);
      seen.push(...ids(page.sessions));
      if (page.next === undefined) break;
      cursor = ['--cursor', page.next];
    }
    expect(seen).toEqual([
      'hermes hermes-new',
      'native native-new',
      'hermes both',
      'native both',
      'native native-old',
      'hermes hermes-old',
    ]);
    const found = await coppiceJson<Page>(own, ['sessions', 'search', 'needle']);
    expect(new Set(ids(found.sessions))).toEqual(
      new Set(['hermes hermes-new', 'native native-new', 'hermes both', 'native native-old', 'hermes hermes-old']),
    );
    const narrowed = await coppiceJson<Page>(own, ['sessions', 'list', '--agent', 'Hermes']);
    expect(narrowed.sessions.map(({ id }) => id)).toEqual(['hermes-new', 'both', 'hermes-old']);
  });
});

describe('a session that is named', () => {
  it('is found in whichever home it is, by id, title and place', async () => {
    const { own } = person();
    const shown = async (name: string) => (await coppiceJson<{ id: string }>(own, ['sessions', 'show', name])).id;
    expect(await shown('hermes-old')).toBe('hermes-old');
    expect(await shown('Long')).toBe('hermes-old');
    expect(await shown('@2')).toBe('native-new');
    expect(await shown('@3')).toBe('both');
    const explained = await coppiceJson<{ decision: { item: { id: string } } }>(own, ['explain', 'Long ago']);
    expect(explained.decision.item.id).toBe('hermes-old');
  });

  it('is never one of two: both are named, with home, title and date', async () => {
    const { own } = person();
    const { code, stderr } = await coppice(own, ['sessions', 'delete', 'both', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^ {2}hermes {2}both {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}Also here$/m);
    expect(stderr).toMatch(/^ {2}native {2}both {2}.* UTC {2}Talk both$/m);
    expect(stderr).toContain('--home hermes');
    const gone = await coppiceJson<{ items: { id: string }[] }>(own, [
      'sessions',
      'delete',
      'both',
      '--yes',
      '--home',
      'native',
    ]);
    expect(gone.items.map(({ id }) => id)).toEqual(['both']);
    expect((await coppiceJson<{ title: string }>(own, ['sessions', 'show', 'both'])).title).toBe('Also here');
  });

  it('is not removed by its place without a question, and not together with one of another home', async () => {
    const { own } = person();
    expect((await coppice(own, ['sessions', 'delete', '@1', '--yes'])).code).toBe(2);
    const { code, stderr } = await coppice(own, ['sessions', 'delete', 'hermes-old', 'native-old', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('Name those of one home at a time');
    expect((await coppiceJson<{ total: number }>(own, ['sessions', 'list'])).total).toBe(6);
  });
});

describe('what is chosen by rules', () => {
  it('is of the home in use, unless another is named', async () => {
    const { own } = person();
    const before = await coppiceJson<{ items: { id: string }[] }>(own, [
      'sessions',
      'prune',
      '--older-than',
      '60d',
      '--yes',
    ]);
    expect(before.items.map(({ id }) => id).toSorted()).toEqual(['both', 'native-old']);
    const args = ['sessions', 'prune', '--older-than', '60d', '--yes', '--agent', 'hermes'];
    const theirs = await coppiceJson<{ items: { id: string }[] }>(own, args);
    expect(theirs.items.map(({ id }) => id)).toEqual(['hermes-old']);
  });
});

describe('coppice homes', () => {
  it('adds homes in places with any name, leaves them out, and takes them back', async () => {
    const { own, home } = person();
    const odd = join(home, "odd 'name'\n--json $(x) ünï");
    buildHermesHome(odd, { sessions: [{ id: 'odd-one', messages: ['here'] }] });
    const added = await coppiceJson<{ name: string; path: string }>(own, ['homes', 'add', odd]);
    expect(added).toMatchObject({ name: 'hermes-odd-name-json-x-n', path: odd });
    expect(statSync(join(own, 'homes.json')).mode & 0o777).toBe(0o600);
    const shown = await coppiceJson<{ id: string }>(own, ['sessions', 'show', 'odd-one']);
    expect(shown.id).toBe('odd-one');
    const text = (await coppice(own, ['homes', 'list'])).stdout;
    expect(text.split('\n')).toHaveLength(5);
    expect((await coppice(own, ['homes', 'ignore', added.name])).code).toBe(0);
    expect((await coppice(own, ['sessions', 'show', 'odd-one'])).code).toBe(10);
    expect((await coppice(own, ['sessions', 'list', '--home', added.name])).stdout).toContain('odd-one');
    expect((await coppice(own, [])).stdout).toContain(`Left out, because you said so: ${added.name}`);
    await coppiceJson(own, ['homes', 'add', odd, '--name', 'mine']);
    expect((await coppice(own, ['sessions', 'list', '--home', 'mine'])).stdout).toContain('odd-one');
  });

  it('takes no folder that is no home, no name that could be a path, and none twice', async () => {
    const { own, hermes, home } = person();
    const codes = [];
    for (const args of [
      ['add', home],
      ['add', join(home, 'nowhere')],
      ['add', hermes, '--name', '../x'],
      ['add', hermes, '--name', 'native'],
      ['ignore', join(home, 'nowhere')],
      ['ignore', 'native'],
    ])
      codes.push((await coppice(own, ['homes', ...args])).code);
    expect(codes).toEqual([5, 10, 2, 2, 10, 2]);
    expect(existsSync(join(own, 'homes.json'))).toBe(false);
  });

  it('finds homes in unusual places, enters no link and adds nothing', async () => {
    const { own, home } = person();
    const far = join(home, 'work', 'agents', 'one');
    buildHermesHome(far);
    symlinkSync(far, join(home, 'link'));
    const { homes } = await coppiceJson<{ homes: { path: string }[] }>(own, ['homes', 'scan']);
    expect(homes.map(({ path }) => path)).toEqual([far]);
    expect(existsSync(join(own, 'homes.json'))).toBe(false);
  });

  it('refuses a list with a mistake rather than to deal with what it leaves out', async () => {
    const { own } = person();
    const file = join(own, 'homes.json');
    for (const text of [
      '{',
      '[]',
      '{"version":2}',
      '{"version":1,"ignore":[]}',
      '{"version":1,"ignored":["relative"]}',
    ]) {
      writeFileSync(file, text);
      const { code, stderr } = await coppice(own, ['plan']);
      expect({ text, code }).toEqual({ text, code: 2 });
      expect(stderr).toContain(file);
      expect((await coppice(own, ['homes', 'ignore', 'hermes'])).code).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    expect((await coppice(own, ['status', '--home', own])).code).toBe(0);
  });

  it('takes a name for a folder here only where that is certain', async () => {
    const { own, home } = person();
    const here = join(home, 'here');
    mkdirSync(join(here, 'hermes'), { recursive: true });
    const run = () => coppice(own, ['sessions', 'list', '--home', 'hermes'], { cwd: here });
    expect((await run()).stdout).toContain('hermes-old');
    buildHermesHome(join(here, 'hermes'), { sessions: [{ id: 'other', messages: ['x'] }] });
    const { code, stderr } = await run();
    expect(code).toBe(2);
    expect(stderr).toContain('./hermes');
    expect((await coppice(own, ['sessions', 'list', '--home', './hermes'], { cwd: here })).stdout).toContain('other');
  });
});
