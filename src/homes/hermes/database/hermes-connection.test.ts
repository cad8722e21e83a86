import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildHermesHome } from '../../../../test/support/hermes-home.ts';
import { openHermes, readHermes } from './hermes-connection.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-hermes-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const countOf = (db: BetterSqlite3.Database) => db.prepare('SELECT count(*) FROM sessions').pluck().get();

describe('the connection to a Hermes home', () => {
  it('cannot write', () => {
    const hermes = openHermes(buildHermesHome(join(root, 'h')));
    expect(() => hermes.db.exec('DELETE FROM sessions')).toThrow(/readonly/);
    hermes.close();
  });

  it('opens exactly the path it is given, whatever characters are in it', () => {
    const home = buildHermesHome(join(root, 'a%41 b?mode=rwc#c'), { sessions: [{ id: 's' }] });
    const hermes = openHermes(home);
    expect(countOf(hermes.db)).toBe(1);
    hermes.close();
    expect(readdirSync(root)).toEqual(['a%41 b?mode=rwc#c']);
  });

  it('never creates a database', () => {
    expect(() => openHermes(root)).toThrow(/unable to open/);
    expect(readdirSync(root)).toEqual([]);
  });

  it('reads again from the start when somebody changes a database at rest meanwhile', async () => {
    const home = buildHermesHome(join(root, 'h'), { sessions: [{ id: 's' }] });
    const counts: unknown[] = [];
    const last = await readHermes(home, async ({ db }) => {
      counts.push(countOf(db));
      if (counts.length === 1) insertSession(home);
      return countOf(db);
    });
    expect(counts).toHaveLength(2);
    expect(last).toBe(2);
  });

  it('reads with locks in the end when a database never comes to rest', async () => {
    const home = buildHermesHome(join(root, 'h'), { journal: 'delete' });
    const quiet: boolean[] = [];
    const count = await readHermes(home, async (hermes) => {
      quiet.push(hermes.quiet);
      insertSession(home);
      return countOf(hermes.db);
    });
    expect(quiet).toEqual([true, true, false]);
    expect(count).toBe(3);
    expect(readdirSync(home)).toEqual(['sessions', 'state.db']);
  });

  it('does not read past a transaction that was never finished', () => {
    const home = buildHermesHome(join(root, 'h'), { journal: 'delete' });
    writeFileSync(join(home, 'state.db-journal'), 'x');
    expect(() => openHermes(home)).toThrow(expect.objectContaining({ code: 'SQLITE_READONLY_ROLLBACK' }));
  });
});

let number = 0;

/** As another process would: opens, writes, closes, so that no side file is left. */
function insertSession(home: string): void {
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.prepare('INSERT INTO sessions (id, source, started_at) VALUES (?, ?, 1)').run(`new-${number++}`, 'cli');
  db.close();
}
