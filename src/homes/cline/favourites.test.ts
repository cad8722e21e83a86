import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { putTask } from '../../../test/support/task-scene.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { FILE_NOW } from '../../../test/support/file-home-scene.ts';
import { walkHomeTree } from '../../keeping/file-home/walk-home-tree.ts';
import { clineKind, kiloKind, rooKind } from './task-kinds.ts';
import { sortTasks } from './sort-tasks.ts';

const ID = '01a1de37-1';

function inEditor() {
  const home = join(tempDir(), 'User', 'globalStorage', 'kilocode.kilo-code');
  putTask(home, { id: ID, plain: true });
  const sort = async () => sortTasks(await walkHomeTree(home), FILE_NOW);
  return { home, sort, database: join(dirname(home), 'state.vscdb') };
}

describe('tasks that are marked to be kept', () => {
  it('are pinned where only the database of the editor says so, also when all of that is in its log', async () => {
    const { sort, database } = inEditor();
    expect((await sort()).sessions).toMatchObject([{ id: ID, pinned: false, active: false }]);
    const db = new Database(database);
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)');
    const value = JSON.stringify({ taskHistory: [{ id: ID, isFavorited: true }] });
    db.prepare('INSERT INTO ItemTable VALUES (?, ?)').run('kilocode.kilo-code', value);
    expect((await sort()).sessions).toMatchObject([{ id: ID, pinned: true }]);
    db.close();
  });

  it('hold everything where a list of them cannot be read', async () => {
    const { home, sort, database } = inEditor();
    mkdirSync(join(home, 'state'));
    writeFileSync(join(home, 'state', 'taskHistory.json'), '[{"id":');
    const torn = await sort();
    expect(torn.sessions).toMatchObject([{ hold: { kind: 'report-only' } }]);
    expect(torn.problems[0]?.message).toMatch(/taskHistory\.json cannot be read, so which tasks are marked/);
    writeFileSync(join(home, 'state', 'taskHistory.json'), '[]');
    expect((await sort()).sessions[0]?.hold).toBeUndefined();
    writeFileSync(database, 'no database at all, whatever its name says');
    expect((await sort()).sessions).toMatchObject([{ hold: { kind: 'report-only' } }]);
  });
});

describe('homes of tasks', () => {
  it('are of the extension whose name their folder bears, and are found in editors', async () => {
    const { home } = inEditor();
    expect(await kiloKind.detect(home)).toMatchObject({ kind: 'kilo-code', agent: 'Kilo Code', reasons: [] });
    expect(await clineKind.detect(home)).toBeUndefined();
    expect(await rooKind.detect(home)).toBeUndefined();
    const settings = tempDir();
    const place = join(settings, 'VSCodium', 'User', 'globalStorage', 'saoudrizwan.claude-dev');
    putTask(place, { id: ID });
    if (process.platform === 'linux') expect(clineKind.places({ XDG_CONFIG_HOME: settings })).toContain(place);
    expect(rooKind.places({ XDG_CONFIG_HOME: settings })).toEqual([]);
  });
});
