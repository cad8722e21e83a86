import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindRowLine, readRowLines } from './row-lines.ts';

const QUERY = { table: 't', columns: ['a', 'b', 'c'], where: '1 ORDER BY rowid', values: [] };

function table() {
  const db = new BetterSqlite3(':memory:');
  // One column that keeps every value as it is, and two that bend values to their kind.
  db.exec('CREATE TABLE t (a, b REAL, c TEXT)');
  return db;
}

/** Everything that tells one value from another, as SQLite sees it. */
function dump(db: BetterSqlite3.Database): unknown[] {
  return db.prepare(`SELECT typeof(a), quote(a), typeof(b), quote(b), typeof(c), quote(CAST(c AS BLOB)) FROM t`).all();
}

function again(lines: readonly string[]): BetterSqlite3.Database {
  const db = table();
  for (const line of lines) {
    const { places, values } = bindRowLine(line);
    db.prepare(`INSERT INTO t VALUES (${places.join(', ')})`).run(...values);
  }
  return db;
}

describe('row lines', () => {
  it('make the very same rows again, whatever they hold', () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.string(),
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
      fc.double({ noNaN: true }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, value)), (rows) => {
        const db = table();
        for (const row of rows) db.prepare('INSERT INTO t VALUES (?, ?, ?)').run(...row);
        expect(dump(again(readRowLines(db, QUERY)))).toEqual(dump(db));
      }),
      { numRuns: 200 },
    );
  });

  it('keep text whose bytes are no UTF-8, and text that says that something was replaced', () => {
    const db = table();
    db.exec(`INSERT INTO t VALUES (CAST(x'ff41' AS TEXT), 5, '\uFFFD'), (x'ff', NULL, '')`);
    expect(dump(again(readRowLines(db, QUERY)))).toEqual(dump(db));
  });

  it('keep the difference between 5 and 5.0, and between nothing and empty', () => {
    const db = table();
    db.prepare('INSERT INTO t VALUES (?, ?, ?)').run(5n, 5, null);
    db.prepare('INSERT INTO t VALUES (?, ?, ?)').run(5, -0, '');
    expect(readRowLines(db, QUERY)).toEqual(['[5,{"real":"5"},null]', '[{"real":"5"},{"real":"0"},""]']);
  });

  it('stay short and readable for what Hermes mostly writes', () => {
    const db = table();
    db.prepare('INSERT INTO t VALUES (?, ?, ?)').run(1n, 1781400000.25, '\0json:{}');
    expect(readRowLines(db, QUERY)).toEqual([String.raw`[1,1781400000.25,"\u0000json:{}"]`]);
  });
});
