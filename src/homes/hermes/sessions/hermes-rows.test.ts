import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHermesHome } from '../../../../test/support/hermes-home.ts';
import { standardHermesHome } from '../../../../test/support/hermes-standard-home.ts';
import { type HermesConnection, openHermes } from '../database/hermes-connection.ts';
import { type HermesRow, readMessageSums, readSession, readSessions } from './hermes-rows.ts';

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
  home = join(root, 'h');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function withHermes<T>(read: (hermes: HermesConnection) => Promise<T>): Promise<T> {
  const hermes = openHermes(home);
  try {
    return await read(hermes);
  } finally {
    hermes.close();
  }
}

async function readAll(hermes: HermesConnection): Promise<HermesRow[]> {
  const rows: HermesRow[] = [];
  for await (const row of readSessions(hermes, await readMessageSums(hermes))) {
    if (!('badId' in row)) rows.push(row);
  }
  return rows;
}

describe('the rows of a Hermes home', () => {
  it('are read in full over many pages, whatever gaps their numbers have', async () => {
    buildHermesHome(home);
    const db = new BetterSqlite3(join(home, 'state.db'));
    db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO sessions (id, source, started_at, ended_at) SELECT 's' || i, 'cli', i, i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      INSERT INTO messages (id, session_id, role, content, timestamp)
      SELECT i * (1 + i / 3000 * 1000), 's' || (1 + i % 1200), 'user', 'text ' || i, i FROM n;
      DELETE FROM sessions WHERE id = 's7' AND NOT EXISTS (SELECT 1 FROM messages WHERE session_id = 's7');
      DELETE FROM messages WHERE id BETWEEN 1000 AND 2500;`);
    const expected = db
      .prepare<[], { id: string; count: number; lastId: number; sizeBytes: number }>(
        `SELECT s.id, count(m.id) AS count, ifnull(max(m.id), 0) AS lastId,
           ifnull(sum(octet_length(m.content) + octet_length(m.role) + octet_length(m.session_id)), 0) AS sizeBytes
         FROM sessions AS s LEFT JOIN messages AS m ON m.session_id = s.id GROUP BY s.id ORDER BY s.id`,
      )
      .all();
    db.close();
    const rows = await withHermes(readAll);
    const found = rows.map(({ id, messages: { count, lastId, sizeBytes } }) => ({ id, count, lastId, sizeBytes }));
    expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(expected);
    expect(expected).toHaveLength(1200);
  });

  it('say the same one by one', async () => {
    standardHermesHome(home, 30);
    await withHermes(async (hermes) => {
      const rows = await readAll(hermes);
      expect(rows.map(({ id }) => readSession(hermes, id))).toEqual(rows);
      expect(readSession(hermes, 'nobody')).toBeUndefined();
    });
  });

  it('without an id that is text are told apart by their place', async () => {
    buildHermesHome(home);
    const db = new BetterSqlite3(join(home, 'state.db'));
    db.exec(`INSERT INTO sessions (rowid, id, source, started_at) VALUES (41, NULL, 'cli', 1), (42, x'ff', 'cli', 1)`);
    db.close();
    const bad = await withHermes(async (hermes) => {
      const places: number[] = [];
      for await (const row of readSessions(hermes, new Map())) if ('badId' in row) places.push(row.badId);
      return places;
    });
    expect(bad).toEqual([41, 42]);
  });
});
