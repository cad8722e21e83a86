import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/index.ts';
import { jsonOn, listedOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, HERMES_DAY, HERMES_NOW, type HermesHomeSpec, hermesSql } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';
import { LIVE_IDS, standardHermesHome } from '../support/hermes-standard-home.ts';
import { treeState } from '../support/hermes-tree.ts';

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
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(existsSync(join(home, '.coppice', 'state.db'))).toBe(true);
    const left = await listed();
    expect(left).not.toContain('plain');
    expect(left).toEqual(expect.arrayContaining(['pinned', 'archived', ...Object.values(LIVE_IDS)]));
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(await jsonOn(home, ['sessions', 'list'])).toEqual(before);
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
    expect((await runOn(home, ['plan'])).out).toContain('the clock may be wrong');
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
    expect((await runOn(home, ['sessions', 'delete', 'plain', '--yes'])).code).toBe(3);
    expect(treeState(home)).toEqual(before);
  });
});

describe('what makes no sense on a Hermes home', () => {
  it.each([
    [['sessions', 'rename', 'plain', 'x']],
    [['sessions', 'pin', 'plain']],
    [['sessions', 'unpin', 'plain']],
    [['sessions', 'tag', 'plain', '--add', 'x']],
    [['sessions', 'end', 'plain']],
    [['sessions', 'routes']],
    [['sessions', 'resolve', 'telegram:1']],
    [['sessions', 'reset', 'telegram:1']],
    [['sessions', 'import', '.']],
    [['run', '--', 'true']],
    [['cron', 'list']],
    [['budget']],
    [['checkpoints', 'take']],
    [['checkpoints', 'pin', 'abcd']],
    [['checkpoints', 'verify']],
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
