import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHermesHome } from '../../../test/support/hermes-home.ts';
import { detectHermes } from './detect-hermes.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function change(sql: string): void {
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.unsafeMode(true);
  db.exec(sql);
  db.close();
}

const kinds = async () => (await detectHermes(home))?.reasons.map(({ kind }) => kind);

describe('recognising a Hermes home', () => {
  it('tells the shapes it knows, and may manage them', async () => {
    const shapes: unknown[] = [];
    for (const schema of [25, 30, 'legacy'] as const) {
      rmSync(home, { recursive: true });
      shapes.push(await detectHermes(buildHermesHome(home, { schema })));
    }
    expect(shapes).toEqual([
      { mode: 'manage', reasons: [], shape: { schemaVersion: 25, searchIndex: 'external', journal: 'at-rest' } },
      { mode: 'manage', reasons: [], shape: { schemaVersion: 30, searchIndex: 'external', journal: 'at-rest' } },
      { mode: 'manage', reasons: [], shape: { schemaVersion: 25, searchIndex: 'inline', journal: 'at-rest' } },
    ]);
  });

  it('is not one without its database, or with that of another program', async () => {
    expect(await detectHermes(home)).toBeUndefined();
    change('CREATE TABLE sessions (id TEXT); CREATE TABLE messages (id TEXT)');
    expect(await detectHermes(home)).toBeUndefined();
    mkdirSync(join(home, 'dir/state.db'), { recursive: true });
    expect(await detectHermes(join(home, 'dir'))).toBeUndefined();
  });

  it('accepts columns it has never heard of, and those that are missing without harm', async () => {
    buildHermesHome(home);
    change('ALTER TABLE sessions ADD COLUMN brand_new TEXT; ALTER TABLE sessions DROP COLUMN pinned');
    expect((await detectHermes(home))?.mode).toBe('manage');
  });

  it.each([
    ['schema-newer', 'UPDATE schema_version SET version = 31'],
    ['schema-unknown', 'DELETE FROM schema_version'],
    ['schema-incomplete', 'ALTER TABLE sessions RENAME COLUMN model_config TO other'],
    ['index-unfinished', `INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '5')`],
    ['index-unfinished', `INSERT INTO state_meta VALUES ('fts_stale', '1')`],
    ['index-unfinished', 'CREATE TABLE fts_v22_trash_1 (x)'],
    [
      'index-unusable',
      `PRAGMA writable_schema = ON;
       INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES
       ('table', 'messages_fts_cjk', 'messages_fts_cjk', 0,
        'CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, tokenize=''cjk_unicode61'')')`,
    ],
  ])('only reports on a home with %s (%s)', async (kind, sql) => {
    buildHermesHome(home);
    change(sql);
    const found = await detectHermes(home);
    expect(found?.mode).toBe('report');
    expect(await kinds()).toEqual([kind]);
    expect(found?.reasons[0]?.hint).toMatch(/\.$/);
  });

  it('only reports on a home whose database is damaged', async () => {
    buildHermesHome(home, { files: { 'cron/jobs.json': '[]' } });
    writeFileSync(join(home, 'state.db'), 'not a database'.repeat(100));
    expect(await kinds()).toEqual(['database-unreadable']);
  });

  it('only reports on a home whose database is a link', async () => {
    buildHermesHome(home, { files: { 'cron/jobs.json': '[]' } });
    renameSync(join(home, 'state.db'), join(home, 'elsewhere.db'));
    symlinkSync('elsewhere.db', join(home, 'state.db'));
    expect(await kinds()).toEqual(['database-linked']);
  });

  it('only reports on a home in which a write was interrupted, and says who can finish it', async () => {
    buildHermesHome(home, { journal: 'delete', files: { 'cron/jobs.json': '[]' } });
    writeFileSync(join(home, 'state.db-journal'), 'x');
    expect((await detectHermes(home))?.reasons).toMatchObject([
      { kind: 'database-unreadable', hint: expect.stringContaining('Start Hermes once') },
    ]);
  });
});
