import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { makeExampleHome } from './example-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

const PAGE_BYTES = 4096;

/** Leaves more than 8 MB of free pages behind, and says where the index of sessions begins. */
function growFreePages(database: string): number {
  const db = new BetterSqlite3(database);
  db.exec('CREATE TABLE large (x); INSERT INTO large VALUES (zeroblob(9000000)); DROP TABLE large');
  // It was sound a moment ago, and would not be asked again so soon.
  db.exec(`DELETE FROM meta WHERE key = 'sound-at'`);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const root = db.prepare<[], number>(`SELECT rootpage FROM sqlite_master WHERE name = 'sessions'`).pluck().get();
  db.close();
  return root ?? 0;
}

/** Puts a page that is in use on the list of free ones. The header of the database says where the list begins. */
function callFree(database: string, page: number): void {
  const handle = openSync(database, 'r+');
  const number = Buffer.alloc(4);
  readSync(handle, number, 0, 4, 32);
  const list = (number.readUInt32BE() - 1) * PAGE_BYTES;
  number.writeUInt32BE(page);
  writeSync(handle, number, 0, 4, list + 8);
  closeSync(handle);
}

it('nothing is removed from a large database in which a page in use counts as free, and it is read all the same', async () => {
  const home = join(sandbox(), 'home');
  await makeExampleHome(home);
  const database = join(home, 'state.db');
  const prune = ['sessions', 'prune', '--older-than', '1d', '--yes'];
  expect((await coppice(home, prune)).code).toBe(0);
  expect((await coppice(home, ['undo', '--yes'])).code).toBe(0);
  callFree(database, growFreePages(database));
  const { code, stdout, stderr } = await coppice(home, prune);
  expect({ code, stdout }).toEqual({ code: 12, stdout: '' });
  expect(stderr).toContain('coppice doctor');
  const { sessions } = await coppiceJson<{ sessions: unknown[] }>(home, ['sessions', 'list']);
  expect(sessions.length).toBeGreaterThan(0);
});
