import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { jsonOn, listedOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW, type HermesHomeSpec, hermesSql } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import { LIVE_IDS, standardHermesHome } from '../support/hermes-standard-home.ts';
import { treeState } from '../support/hermes-tree.ts';
import { RESERVE_TOLD } from '../support/reserve-told.ts';

const PLAIN: HermesHomeSpec = { sessions: [{ id: 'plain', messages: ['hello', 'hi'] }] };

let root: string;
let home: string;
eachHermesScene((scene) => ({ root, home } = scene));

const change = (sql: string) => hermesSql(home, sql);
const listed = (...args: readonly string[]) => listedOn(home, args);

describe('cutting back a Hermes home', () => {
  it('makes its own records with the first change, and undo gives everything back', async () => {
    standardHermesHome(home, 30);
    const before = await jsonOn(home, ['sessions', 'list']);
    const { out } = await runOn(home, ['plan']);
    const id = /coppice apply ([0-9a-f]{16})/.exec(out)?.[1] ?? '';
    expect(existsSync(join(home, '.coppice'))).toBe(false);
    const applied = await runOn(home, ['apply', id, '--yes']);
    expect(applied).toMatchObject({ code: 0, err: expect.stringMatching(RESERVE_TOLD) as string });
    expect(existsSync(join(home, '.coppice', 'state.db'))).toBe(true);
    const left = await listed();
    expect(left).not.toContain('plain');
    expect(left).toEqual(expect.arrayContaining(['pinned', 'archived', ...Object.values(LIVE_IDS)]));
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(await jsonOn(home, ['sessions', 'list'])).toEqual(before);
  });

  it('with --files-only also takes dumps and snapshots whose session is gone, and gives them back', async () => {
    buildHermesHome(home, PLAIN);
    const file = (name: string, ageDays: number) => {
      const path = join(home, 'sessions', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, name);
      const at = new Date(HERMES_NOW - ageDays * HERMES_DAY);
      utimesSync(path, at, at);
      return path;
    };
    const gone = [
      file('request_dump_20260101_101010_ab12cd_20260101_101112_000001.json', 60),
      file('session_20260101_101010_ab12cd.json', 60),
    ];
    const kept = [
      file('request_dump_20260201_101010_ab12cd_20260201_101112_000001.json', 3),
      file('notes.json', 60),
      file('saved/session_20260101_101010_ab12cd.json', 60),
    ];
    const done = await runOn(home, ['sessions', 'prune', '--files-only', '--older-than', '30d', '--yes']);
    expect(done).toMatchObject({ code: 0, err: expect.stringMatching(RESERVE_TOLD) as string });
    for (const path of gone) expect(existsSync(path)).toBe(false);
    for (const path of kept) expect(existsSync(path)).toBe(true);
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    for (const path of [...gone, ...kept]) expect(existsSync(path)).toBe(true);
  });

  it('lets go of what a person put away only where the rules of this home say so', async () => {
    buildHermesHome(home, { sessions: [{ id: 'archived', messages: ['put away'], archived: true }] });
    const fate = async (...options: readonly string[]) => (await runOn(home, ['explain', 'archived', ...options])).out;
    expect(await fate()).toContain('Stays');
    expect(await fate('--set', 'sessions.keep_tags=[]')).toContain('Would go');
  });

  it('remembers removed sessions in the ledger until they come back', async () => {
    buildHermesHome(home, { sessions: [{ id: 's', title: 'Gone', messages: ['a'] }] });
    const path = { path: home, env: {}, clock: { now: () => HERMES_NOW } };
    {
      await using open = await openHome(path);
      const { done } = await open.apply(await open.plan({ kind: 'delete', ids: ['s'] }));
      expect(done).toBe(1);
      expect(await open.sessions.get('s')).toBeUndefined();
    }
    const ledger = () => {
      const db = new BetterSqlite3(join(home, '.coppice', 'state.db'), { readonly: true });
      const titles = db.prepare('SELECT title FROM ledger').pluck().all();
      db.close();
      return titles;
    };
    expect(ledger()).toEqual(['Gone']);
    expect((await runOn(home, ['ledger'])).out).toMatch(/^1 removed session: .*\n\nSTARTED .*\n.* Gone\n$/);
    await runOn(home, ['undo', '--yes']);
    expect(ledger()).toEqual([]);
  });

  it('removes nothing for its age when the clock has jumped', async () => {
    buildHermesHome(home, PLAIN);
    {
      const now = HERMES_NOW - 500 * HERMES_DAY;
      await using open = await openHome({ path: home, env: {}, clock: { now: () => now } });
      await open.apply(await open.plan());
    }
    expect((await runOn(home, ['plan'])).out).toContain('the clock of this machine may be wrong');
  });

  it('says who can let go of a session that is held', async () => {
    buildHermesHome(home, { sessions: [{ id: 'pinned', messages: ['a'], pinned: true }] });
    const { code, out, err } = await runOn(home, ['sessions', 'delete', 'pinned', '--yes']);
    expect(code).toBe(3);
    expect(out + err).toContain('It stays: pinned. Change that in Hermes first.');
  });

  it('refuses a home of a newer schema, and says so first', async () => {
    buildHermesHome(home, PLAIN);
    const plan = join(root, 'plan.json');
    await runOn(home, ['plan', '--out', plan]);
    change('UPDATE schema_version SET version = 99');
    const before = treeState(home);
    for (const command of ['status', 'plan']) {
      expect((await runOn(home, [command])).out).toMatch(/^Note: This home is shown and not changed\. .*schema 99/);
    }
    const { code, err } = await runOn(home, ['apply', plan, '--yes']);
    expect(code).toBe(5);
    expect(err).toContain('schema 99');
    for (const args of [
      ['sessions', 'delete', 'plain'],
      ['sessions', 'prune', '--older-than', '1d'],
      ['sessions', 'archive', '--older-than', '1d'],
      ['sessions', 'gc'],
      ['checkpoints', 'prune'],
    ]) {
      const refused = await runOn(home, [...args, '--yes']);
      expect({ args, code: refused.code, out: refused.out }).toEqual({ args, code: 5, out: '' });
      expect(refused.err).toMatch(/shown and not changed\..*schema 99.*\n.*Nothing was (removed|changed)\./);
    }
    expect((await runOn(home, ['maintain'])).code).toBe(5);
    expect(treeState(home)).toEqual(before);
  });
});

describe('what makes no sense on a Hermes home', () => {
  it.each([
    [['sessions', 'rename', 'plain', 'x']],
    [['sessions', 'pin', 'plain']],
    [['sessions', 'unpin', 'plain']],
    [['sessions', 'tag', 'plain', '--add', 'x']],
    [['sessions', 'end', 'plain', '--reason', 'mine']],
    [['sessions', 'routes']],
    [['sessions', 'resolve', 'telegram:1']],
    [['sessions', 'reset', 'telegram:1']],
    [['sessions', 'import', '.']],
    [['run', '--', 'true']],
    [['cron', 'list']],
    [['budget']],
    [['checkpoints', 'take']],
    [['checkpoints', 'pin', 'abcd']],
  ])('is refused in a sentence: %j', async (args) => {
    buildHermesHome(home, PLAIN);
    const before = treeState(home);
    const { code, err } = await runOn(home, args);
    expect(code).toBe(2);
    expect(err).toMatch(/Hermes.*\n.+\n/);
    expect(treeState(home)).toEqual(before);
  });

  it('keeps the configuration of Hermes out of reach', async () => {
    buildHermesHome(home, { ...PLAIN, files: { 'config.yaml': 'sessions:\n  auto_prune: true\n' } });
    const theirs = readFileSync(join(home, 'config.yaml'), 'utf8');
    expect((await runOn(home, ['config', 'init', '--force'])).code).toBe(0);
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(theirs);
    expect((await runOn(home, ['config', 'path'])).out).toBe(`${join(home, '.coppice', 'config.yaml')}\n`);
    expect((await runOn(home, ['status'])).code).toBe(0);
  });
});
