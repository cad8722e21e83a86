import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copilotId } from '../../../test/support/copilot-scene.ts';
import { addRows, addTurn, copilotStore, dumpStore } from '../../../test/support/copilot-store.ts';
import { dieAtChange } from '../../../test/support/hermes-faults.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { sessionRows } from './session-rows.ts';

const [ONE, TWO, THREE] = ['1', '2', '3'].map(copilotId) as [string, string, string];

function withRows(change?: (db: ReturnType<typeof copilotStore>) => void): string {
  const home = tempDir();
  const db = copilotStore(home);
  for (const id of [ONE, TWO, THREE]) addRows(db, id);
  change?.(db);
  db.close();
  return home;
}

function inStore<T>(home: string, act: (db: ReturnType<typeof copilotStore>) => T): T {
  const db = copilotStore(home);
  try {
    return act(db);
  } finally {
    db.close();
  }
}

const idsIn = (home: string) =>
  inStore(home, (db) => db.prepare('SELECT DISTINCT session_id FROM turns ORDER BY 1').pluck().all());

async function takeOut(home: string, id: string): Promise<string> {
  const copy = (await sessionRows().copy(home, id)) ?? '';
  await sessionRows().takeOut(home, id, copy);
  return copy;
}

describe('the rows of a session of Copilot CLI', () => {
  it('leave with all words in the index for searching, and come back with their numbers', async () => {
    const home = withRows();
    const before = dumpStore(home);
    const copy = await takeOut(home, TWO);
    expect(JSON.stringify(dumpStore(home))).not.toContain(TWO);
    expect(idsIn(home)).toEqual([ONE, THREE]);
    await sessionRows().putBack(home, TWO, copy);
    expect(dumpStore(home)).toEqual(before);
    await sessionRows().putBack(home, TWO, copy);
    expect(dumpStore(home)).toEqual(before);
  });

  it('come back in whatever order', async () => {
    const orders = fc.shuffledSubarray([ONE, TWO, THREE], { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(orders, orders, async (out, back) => {
        const home = withRows();
        const before = dumpStore(home);
        const copies = new Map<string, string>();
        for (const id of out) copies.set(id, await takeOut(home, id));
        expect(idsIn(home)).toEqual([]);
        for (const id of back) await sessionRows().putBack(home, id, copies.get(id) ?? '');
        expect(dumpStore(home)).toEqual(before);
      }),
      { numRuns: 10 },
    );
  });

  it('stay as far as they came later, and make place for those that have their numbers by now', async () => {
    const home = withRows();
    const copy = (await sessionRows().copy(home, THREE)) ?? '';
    inStore(home, (db) => addTurn(db, THREE, 2));
    await sessionRows().takeOut(home, THREE, copy);
    const turns = () =>
      inStore(home, (db) =>
        db.prepare('SELECT turn_index FROM turns WHERE session_id = ? ORDER BY 1').pluck().all(THREE),
      );
    expect(turns()).toEqual([2]);
    inStore(home, (db) => addRows(db, copilotId('4')));
    await sessionRows().putBack(home, THREE, copy);
    expect(turns()).toEqual([0, 1, 2]);
    const found = inStore(home, (db) =>
      db.prepare(`SELECT source_id FROM search_index WHERE session_id = ?`).pluck().all(THREE),
    );
    expect(new Set(found)).toEqual(new Set([0, 1, 2].map((turn) => `${THREE}:turn:${turn}`)));
    expect(found).toHaveLength(3);
    expect(dumpStore(home)).toMatchObject({ broken: [] });
  });

  it('are all there or all gone, whenever the process dies', async () => {
    for (let change = 1; change < 60; change += 1) {
      const home = withRows();
      const before = dumpStore(home);
      const copy = (await sessionRows().copy(home, TWO)) ?? '';
      const died = await dieAtChange(change, () => sessionRows().takeOut(home, TWO, copy));
      const isThere = idsIn(home).includes(TWO);
      expect(JSON.stringify(dumpStore(home)).includes(TWO)).toBe(isThere);
      if (isThere) expect(dumpStore(home)).toEqual(before);
      await sessionRows().takeOut(home, TWO, copy);
      expect(idsIn(home)).toEqual([ONE, THREE]);
      await dieAtChange(change, () => sessionRows().putBack(home, TWO, copy));
      await sessionRows().putBack(home, TWO, copy);
      expect(dumpStore(home)).toEqual(before);
      if (!died) return;
    }
    throw new Error('it never came to its end');
  });

  it.each<[string, (db: ReturnType<typeof copilotStore>) => unknown]>([
    ['another version', (db) => db.exec('UPDATE schema_version SET version = 9')],
    ['two versions', (db) => db.exec('INSERT INTO schema_version VALUES (8)')],
    ['a column more', (db) => db.exec('ALTER TABLE turns ADD COLUMN mood TEXT')],
    ['another table that names sessions', (db) => db.exec('CREATE TABLE moods (session_id TEXT)')],
    ['a table less', (db) => db.exec('DROP TABLE session_refs')],
    ['a trigger', (db) => db.exec('CREATE TRIGGER t AFTER DELETE ON turns BEGIN DELETE FROM sessions; END')],
    ['no index for searching', (db) => db.exec('DROP TABLE search_index')],
  ])('are left alone in a database with %s', async (_, make) => {
    const home = withRows();
    const copy = (await sessionRows().copy(home, ONE)) ?? '';
    inStore(home, make);
    expect(await sessionRows().copy(home, ONE)).toBeUndefined();
    await sessionRows().takeOut(home, ONE, copy);
    expect(idsIn(home)).toEqual([ONE, TWO, THREE]);
  });

  it('are left alone where there are none, no database, or one with another name', async () => {
    const home = withRows();
    expect(await sessionRows().copy(home, copilotId('9'))).toBeUndefined();
    linkSync(join(home, 'session-store.db'), join(home, 'other-name.db'));
    expect(await sessionRows().copy(home, ONE)).toBeUndefined();
    const empty = tempDir();
    expect(await sessionRows().copy(empty, ONE)).toBeUndefined();
    await sessionRows().putBack(empty, ONE, JSON.stringify({ version: 1, rows: {} }));
    expect(existsSync(join(empty, 'session-store.db'))).toBe(false);
  });

  it.runIf(process.platform === 'linux')('are left alone while another program has the database open', async () => {
    const home = withRows();
    const child = spawn('sh', ['-c', `exec 3<'${join(home, 'session-store.db')}'; echo up; exec sleep 60`]);
    try {
      await once(child.stdout, 'data');
      expect(await sessionRows().copy(home, ONE)).toBeUndefined();
    } finally {
      child.kill('SIGKILL');
    }
  });
});
