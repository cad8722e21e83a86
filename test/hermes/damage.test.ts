import { closeSync, cpSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { campaignSize, SEED } from '../support/campaign.ts';
import { listedOn, runOn } from '../support/hermes-cli.ts';
import { buildHermesHome, hermesSql } from '../support/hermes-home.ts';
import { eachHermesScene } from '../support/hermes-scene.ts';

let root: string;
let home: string;
eachHermesScene((scene) => ({ root, home } = scene));

const PAGE_BYTES = 4096;
const SESSIONS = Array.from({ length: 30 }, (_, at) => ({
  id: `s${at}`,
  messages: [`hello ${at}`, `word ${at} `.repeat(300)],
}));

/** Overwrites one page of a database at rest. Returns how many pages it has. */
function damage(at: string, page: number, fill: number): number {
  const handle = openSync(join(at, 'state.db'), 'r+');
  const pages = fstatSync(handle).size / PAGE_BYTES;
  if (page > 0) writeSync(handle, Buffer.alloc(PAGE_BYTES, fill), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  closeSync(handle);
  return pages;
}

/** Puts a page on the list of free ones, in place of one that is free. The header of the database says where the list begins. */
function callFree(at: string, page: number): void {
  const handle = openSync(join(at, 'state.db'), 'r+');
  const number = Buffer.alloc(4);
  readSync(handle, number, 0, 4, 32);
  const list = (number.readUInt32BE() - 1) * PAGE_BYTES;
  number.writeUInt32BE(page);
  writeSync(handle, number, 0, 4, list + 8);
  closeSync(handle);
}

/** The first page of a table's own tree. */
function rootOf(table: string): number {
  const db = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
  const page = db.prepare<[string], number>('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(table);
  db.close();
  return page ?? 0;
}

describe('a Hermes home with a damaged database', () => {
  it.each([
    ['small', 0],
    ['large', 9_000_000],
  ])('is not cut back, and says why (%s)', async (_, bytes) => {
    buildHermesHome(home, { journal: 'delete', sessions: SESSIONS });
    hermesSql(home, `CREATE TABLE plugin (x); INSERT INTO plugin VALUES (zeroblob(${bytes}))`);
    damage(home, rootOf('idx_sessions_started'), 0xff);
    expect((await runOn(home, ['doctor'])).code).toBe(12);
    const { code, out } = await runOn(home, ['sessions', 'prune', '--older-than', '1d', '--yes']);
    expect(code).toBe(3);
    expect(out).toMatch(/^Nothing was removed\.\n/);
    expect(out.match(/Its database is damaged: [^\n]*/g)).toEqual([expect.not.stringMatching(/\*\*\*|⏎/)]);
    expect(await listedOn(home, ['--limit', '100'])).toHaveLength(SESSIONS.length);
  });

  it('is not cut back when a page in use counts as free, because the next thing written would land on it', async () => {
    buildHermesHome(home, { journal: 'delete', sessions: SESSIONS });
    hermesSql(home, 'CREATE TABLE plugin (x); INSERT INTO plugin VALUES (zeroblob(9000000)); DROP TABLE plugin');
    callFree(home, rootOf('idx_sessions_started'));
    const { code, out } = await runOn(home, ['sessions', 'prune', '--older-than', '1d', '--yes']);
    expect({ code, removed: /Removed/.test(out) }).toEqual({ code: 3, removed: false });
    expect(out).toContain('Its database is damaged:');
    expect(await listedOn(home, ['--limit', '100'])).toHaveLength(SESSIONS.length);
  });

  it('is not written to by an unattended pass, not even to note it', async () => {
    buildHermesHome(home, { journal: 'delete', sessions: SESSIONS });
    damage(home, rootOf('messages'), 0xff);
    const before = readFileSync(join(home, 'state.db'));
    expect((await runOn(home, ['maintain'])).out).toContain('Nothing is removed');
    expect(readFileSync(join(home, 'state.db')).equals(before)).toBe(true);
  });

  it('that cannot be read at all says so too', async () => {
    buildHermesHome(home, { journal: 'delete', sessions: SESSIONS });
    damage(home, rootOf('messages'), 0xff);
    const { code, out, err } = await runOn(home, ['sessions', 'prune', '--older-than', '1d', '--yes']);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err).toContain('Its sessions cannot be read: database disk image is malformed.');
  });

  it('gets nothing back before it is mended, and loses nothing of it', async () => {
    buildHermesHome(home, { journal: 'delete', sessions: SESSIONS });
    hermesSql(home, `UPDATE sessions SET pinned = 1 WHERE id = 's0'`);
    await runOn(home, ['sessions', 'prune', '--older-than', '1d', '--yes']);
    cpSync(join(home, 'state.db'), join(root, 'sound.db'));
    damage(home, rootOf('idx_sessions_started'), 0xff);
    const { code, out } = await runOn(home, ['undo', '--yes']);
    expect(code).toBe(3);
    expect(out).toContain('Its database is damaged:');
    cpSync(join(root, 'sound.db'), join(home, 'state.db'));
    expect((await runOn(home, ['undo', '--yes'])).code).toBe(0);
    expect(await listedOn(home, ['--limit', '100'])).toHaveLength(SESSIONS.length);
  });

  it('is never called damaged and cut back at the same time, whichever page it is', async () => {
    const whole = buildHermesHome(join(root, 'whole'), { journal: 'delete', sessions: SESSIONS });
    hermesSql(whole, `DELETE FROM messages WHERE session_id IN ('s1', 's2', 's3', 's4', 's5', 's6')`);
    const pages = damage(whole, 0, 0);
    const tries = Math.min(campaignSize({ usual: 8, torture: 200 }), pages);
    const removed: string[] = [];
    for (let at = 0; at < tries; at += 1) {
      const page = 2 + ((SEED + Math.floor((at * pages) / tries)) % (pages - 1));
      const copy = join(root, `copy ${at}`);
      cpSync(whole, copy, { recursive: true });
      damage(copy, page, at % 2 === 0 ? 0 : 0xff);
      const sick = (await runOn(copy, ['doctor'])).code === 12;
      const pruned = await runOn(copy, ['sessions', 'prune', '--older-than', '1d', '--yes']);
      if (sick && /Removed/.test(pruned.out)) removed.push(`page ${page}: ${pruned.out}`);
    }
    expect(removed).toEqual([]);
  });
});
