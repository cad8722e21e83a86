import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { hasTmux, openTmux } from '../real-agents/tmux-terminal.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { BIN, coppice, coppiceJson, sandbox } from './run-coppice.ts';

const root = sandbox();
const template = join(root, 'template');
const PATIENCE = { timeout: 120_000 };

interface Listed {
  readonly total: number;
  readonly next?: string;
  readonly sessions: readonly { readonly id: string; readonly title?: string }[];
}

/** The newest first: @1, @2 and so on. */
const TITLES = ['Moving the blog', 'Disk full', 'Moving house', 'Disk full', 'A talk'] as const;

beforeAll(async () => {
  const clock = manualClock();
  await using home = await openHome({ path: template, env: {}, clock });
  for (const [at, title] of TITLES.toReversed().entries()) {
    clock.set(NOW + at * 1000);
    const workdir = at < 2 ? '/projects/blog/posts' : '/projects/blog2';
    const session = await home.sessions.create({ source: 'cli', title, workdir, tags: at === 0 ? ['work'] : [] });
    await session.append({ role: 'user', content: `About ${title}` });
    await session.end('done');
  }
});

function copyHome(): string {
  const home = join(mkdtempSync(join(root, 'copy-')), 'home');
  cpSync(template, home, { recursive: true });
  return home;
}

const listed = (home: string, ...more: readonly string[]) => coppiceJson<Listed>(home, ['sessions', 'list', ...more]);
const idsOf = async (home: string) => (await listed(home)).sessions.map(({ id }) => id);

/** What stands in the first column of the list. */
async function shownIds(home: string): Promise<readonly string[]> {
  const { stdout } = await coppice(home, ['sessions', 'list']);
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0] ?? '');
}

describe('what a person calls a session', () => {
  it('is what the list shows, a place in it, or a title', PATIENCE, async () => {
    const ids = await idsOf(template);
    const shown = await shownIds(template);
    expect(shown.map((short, at) => ids[at]?.endsWith(short))).toEqual([true, true, true, true, true]);
    expect(shown.every((short) => short.length <= 8)).toBe(true);
    const meant = async (typed: string) =>
      (await coppiceJson<{ id: string }>(template, ['sessions', 'show', typed])).id;
    for (const [at, id] of ids.entries()) {
      expect([await meant(shown[at] ?? ''), await meant(`@${at + 1}`)]).toEqual([id, id]);
    }
    expect(await meant('@last')).toBe(ids[0]);
    expect(await meant('A talk')).toBe(ids[4]);
    expect(await meant('moving t')).toBe(ids[0]);
  });

  it('is told apart where it could be several, with exit 2, and is not found with exit 10', PATIENCE, async () => {
    for (const typed of ['Disk full', 'mov']) {
      const { code, stdout, stderr } = await coppice(template, ['sessions', 'pin', typed]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /^coppice: Several sessions could be meant by .*:\n( {2}[0-9a-f]{6,8} {2}\d{4}-.* UTC {2}\w.*\n){2}Give/,
      );
    }
    expect((await coppice(template, ['sessions', 'show', '@6'])).code).toBe(10);
    expect((await coppice(template, ['sessions', 'show', 'nothing'])).code).toBe(10);
  });

  it(
    'is shown whole before it is removed, and what moves is removed only where somebody is asked',
    PATIENCE,
    async () => {
      const home = copyHome();
      const ids = await idsOf(home);
      const remove = (...words: readonly string[]) => coppice(home, ['sessions', 'delete', ...words]);
      for (const words of [
        ['@2', '--yes'],
        ['@last', '--purge', '--yes'],
        ['A talk', '--purge', '--yes'],
        ['Disk full', '--yes'],
      ]) {
        const { code, stdout, stderr } = await remove(...words);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toContain('Nothing was removed.');
      }
      // Nobody can be asked here; it is shown all the same.
      const asked = await remove('@2');
      expect(asked.code).toBe(5);
      expect(asked.stderr).toMatch(new RegExp(`^${ids[1] ?? ''} {2}Disk full`));
      expect(await idsOf(home)).toEqual(ids);
      const done = await remove('A talk', '--yes');
      expect(done.code).toBe(0);
      expect(done.stderr).toMatch(new RegExp(`^${ids[4] ?? ''} {2}A talk`));
      expect(await idsOf(home)).toEqual(ids.slice(0, 4));
      // The same again finds nothing, rather than another.
      expect((await remove('A talk', '--yes')).code).toBe(10);
    },
  );

  it.runIf(hasTmux)('is removed by its place when the person in front of the terminal agrees', PATIENCE, async () => {
    const home = copyHome();
    const ids = await idsOf(home);
    const folder = mkdtempSync(join(root, 'terminal-'));
    writeFileSync(join(folder, 'coppice'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: root, COPPICE_HOME: home, TERM: 'xterm' };
    using terminal = openTmux({ folder, cwd: folder, env });
    terminal.line('coppice sessions list');
    await terminal.shows('A talk');
    const [line = ''] = terminal.screen().match(/^\S+ .*Disk full/m) ?? [];
    expect(ids[1]?.endsWith(line.split(' ')[0] ?? '?')).toBe(true);
    terminal.line('coppice sessions delete @2');
    await terminal.shows('[y/N]');
    expect(terminal.screen().replaceAll('\n', '')).toContain(`${ids[1] ?? ''}  Disk full`);
    terminal.line('y');
    await terminal.shows('Removed 1 session');
    expect(await idsOf(home)).toEqual([ids[0], ...ids.slice(2)]);
  });
});

describe('lists for programs', () => {
  it('say how many there are, and go on page by page in every order', PATIENCE, async () => {
    for (const order of [[], ['--sort', 'size']]) {
      const all = await listed(template, ...order);
      expect([all.total, all.next]).toEqual([5, undefined]);
      const first = await listed(template, ...order, '--limit', '2');
      const second = await listed(template, ...order, '--limit', '2', '--cursor', first.next ?? '');
      const third = await listed(template, ...order, '--limit', '2', '--cursor', second.next ?? '');
      expect([first.total, second.total, third.total, third.next]).toEqual([5, 5, 5, undefined]);
      expect([...first.sessions, ...second.sessions, ...third.sessions]).toEqual(all.sessions);
    }
    const wrong = await coppice(template, ['sessions', 'list', '--json', '--cursor', 'x', '--sort', 'size']);
    expect(wrong.code).toBe(2);
    expect((await coppice(template, ['sessions', 'list', '--cursor', '+2'])).code).toBe(2);
  });

  it('choose by project, tag and pin', PATIENCE, async () => {
    const home = copyHome();
    const titles = async (...words: readonly string[]) =>
      (await listed(home, ...words)).sessions.map(({ title }) => title);
    expect(await titles('--project', '/projects/blog')).toEqual(['Disk full', 'A talk']);
    expect(await titles('--project', '/projects/blog/')).toEqual(['Disk full', 'A talk']);
    expect(await titles('--tag', 'work')).toEqual(['A talk']);
    expect(await titles('--pinned')).toEqual([]);
    await coppice(home, ['sessions', 'pin', '@last']);
    expect(await titles('--pinned')).toEqual(['Moving the blog']);
  });
});

describe('exports and searches', () => {
  it('take everything, or what is new enough', PATIENCE, async () => {
    const exported = async (...words: readonly string[]) =>
      (await coppice(template, ['sessions', 'export', ...words])).stdout.match(/^\{"kind":"session"/gm)?.length ?? 0;
    expect(await exported('--all')).toBe(5);
    expect(await exported('--since', new Date(NOW + 3000).toISOString())).toBe(2);
    expect((await coppice(template, ['sessions', 'export', '--all', '--source', 'cli'])).code).toBe(2);
    const found = async (...words: readonly string[]) =>
      (await coppiceJson<Listed>(template, ['sessions', 'search', 'about', ...words])).sessions.length;
    expect(await found()).toBe(5);
    expect(await found('--since', new Date(NOW + 3000).toISOString())).toBe(2);
  });
});
