import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doneAll, itemsFor } from '../../src/homes/tested-home.conformance.ts';
import { campaignSize, SEED } from '../support/campaign.ts';
import { openHermesDriver } from '../support/hermes-archiving-home.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import { addPrompts, buildHermesHome, hermesSql } from '../support/hermes-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const IDS = ['trunk', 'twig', 'odd id/ü'];
const ARCHIVABLE = ['trunk', 'twig'];

/** Parts that another program, or a version to come, may have added. Each says whether sessions can go and come back beside it. */
interface Part {
  readonly sql: (name: string) => string;
  readonly harmless: boolean;
}

const ON_DELETE = fc.constantFrom('', 'ON DELETE CASCADE', 'ON DELETE SET NULL', 'ON DELETE RESTRICT');
const KNOWN = fc.constantFrom('sessions', 'messages', 'system_prompts', 'session_model_usage');
const EVENT = fc.constantFrom('BEFORE DELETE', 'AFTER DELETE', 'AFTER INSERT', 'AFTER UPDATE');

/** A table with a row for each row that it refers to. */
const child = fc.tuple(fc.constantFrom('sessions', 'messages'), ON_DELETE, fc.boolean()).map(
  ([parent, onDelete, withChild]): Part => ({
    harmless: false,
    sql: (name) =>
      `CREATE TABLE ${name} (n INTEGER PRIMARY KEY, p REFERENCES ${parent} (id) ${onDelete});
       INSERT INTO ${name} (p) SELECT id FROM ${parent};
       ${withChild ? `CREATE TABLE ${name}_part (c REFERENCES ${name} (n) ON DELETE CASCADE); INSERT INTO ${name}_part SELECT n FROM ${name};` : ''}`,
  }),
);

const trigger = fc.tuple(KNOWN, EVENT, fc.constantFrom('count', 'sweep', 'touch')).map(
  ([table, event, deed]): Part => ({
    harmless: false,
    sql: (name) =>
      `CREATE TABLE ${name}_log (n INTEGER); INSERT INTO ${name}_log VALUES (0), (1);
       CREATE TRIGGER ${name} ${event} ON ${table} BEGIN ${
         {
           count: `UPDATE ${name}_log SET n = n + 1;`,
           sweep: `DELETE FROM ${name}_log;`,
           touch: `UPDATE sessions SET rewind_count = 7;`,
         }[deed]
       } END`,
  }),
);

const column = fc
  .tuple(
    fc.constantFrom('sessions', 'messages'),
    fc.constantFrom(`TEXT NOT NULL DEFAULT 'x'`, 'BLOB', 'REAL DEFAULT 0.5', '', 'TEXT COLLATE NOCASE'),
  )
  .map(
    ([table, type]): Part => ({
      harmless: true,
      sql: (name) =>
        `ALTER TABLE ${table} ADD COLUMN ${name} ${type}; UPDATE ${table} SET ${name} = char(0, 233) || id`,
    }),
  );

const beside = fc.constantFrom<Part>(
  {
    harmless: true,
    sql: (
      name,
    ) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, session_id TEXT); INSERT INTO ${name} (session_id) SELECT id FROM sessions;
      CREATE TRIGGER ${name}_own AFTER INSERT ON ${name} BEGIN DELETE FROM ${name}; END`,
  },
  { harmless: true, sql: (name) => `CREATE INDEX ${name} ON messages (role, length(content)) WHERE role <> 'tool'` },
  { harmless: true, sql: (name) => `CREATE UNIQUE INDEX ${name} ON sessions (source, id DESC)` },
  {
    harmless: true,
    sql: (name) => `CREATE VIEW ${name} AS SELECT s.id FROM sessions AS s JOIN messages AS m ON m.session_id = s.id`,
  },
);

const scene = fc.record({
  schema: fc.constantFrom<25 | 30 | 'legacy'>(25, 30, 'legacy'),
  journal: fc.constantFrom<'wal' | 'delete'>('wal', 'delete'),
  parts: fc.array(
    fc.oneof(
      { weight: 1, arbitrary: child },
      { weight: 1, arbitrary: trigger },
      { weight: 3, arbitrary: column },
      { weight: 3, arbitrary: beside },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  rounds: fc.integer({ min: 2, max: 5 }),
  archiveFirst: fc.boolean(),
});

describe('a Hermes home with parts that Coppice has never heard of', () => {
  it('is the same row for row after every round, or is left alone by name', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async ({ schema, journal, parts, rounds, archiveFirst }) => {
        const home = build(schema, journal);
        parts.forEach((part, at) => hermesSql(home, part.sql(`part_${at}`)));
        const { driver, close } = await openHermesDriver(home);
        const before = dumpHermes(home, ['hello']);
        const items = await itemsFor({ driver }, IDS, 'remove');
        if (parts.some(({ harmless }) => !harmless)) {
          const { problems } = await driver.scan();
          expect(problems.map(({ message }) => message).join(' ')).toMatch(/\bpart_\d/);
          for (const outcome of await driver.discard('run', items)) expect(outcome.status).toBe('skipped');
        } else {
          for (let round = 1; round <= rounds; round += 1) {
            // An id that no file may have stays out of the archive.
            const some =
              (round + Number(archiveFirst)) % 2 === 0 ? await itemsFor({ driver }, ARCHIVABLE, 'archive') : items;
            expect(await driver.discard(`run ${round}`, some)).toEqual(doneAll(some));
            asHermesWould(home);
            expect(await driver.restore(`run ${round}`, some)).toEqual(doneAll(some));
            asHermesWould(home);
            expect(hermesProblems(home)).toEqual([]);
          }
        }
        await close();
        expect(dumpHermes(home, ['hello'])).toEqual(before);
        pruneAsHermesWould(home);
        expect(hermesProblems(home)).toEqual([]);
      }),
      { seed: SEED, numRuns: campaignSize({ usual: 8, torture: 300 }) },
    );
  }, 3_600_000);
});

function build(schema: 25 | 30 | 'legacy', journal: 'wal' | 'delete'): string {
  const home = buildHermesHome(join(tempDir(), "it's a 100% hermes? home"), {
    schema,
    journal,
    sessions: [
      { id: 'trunk', title: 'Trunk', messages: ['hello', 'you'], files: ['dump'] },
      { id: 'twig', parent: 'trunk', messages: ['hello'], modelConfig: { _branched_from: 'trunk' } },
      { id: 'odd id/ü', messages: ['hello', 'hello'], files: ['snapshot'] },
      { id: 'kept', messages: ['hello'], pinned: true },
    ],
  });
  addPrompts(home, { 'One prompt': ['trunk', 'kept'], Another: ['twig'] });
  hermesSql(home, `INSERT INTO session_model_usage (session_id, model) VALUES ('trunk', 'm'), ('kept', 'm')`);
  return home;
}

/** What Hermes itself does to its database now and then: it searches, merges its index, and writes a message that it takes back. */
function asHermesWould(home: string): void {
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.prepare(`SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'hello'`).all();
  db.exec(`INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', 500)`);
  db.exec(
    `BEGIN IMMEDIATE; INSERT INTO messages (session_id, role, content, timestamp) VALUES ('kept', 'user', 'hello', 1); ROLLBACK`,
  );
  db.close();
}

/** Its own prune, as far as the parts that others added let it, and the vacuum after it. */
function pruneAsHermesWould(home: string): void {
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.pragma('foreign_keys = ON');
  try {
    db.exec(`BEGIN IMMEDIATE;
      UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = 'twig';
      DELETE FROM messages WHERE session_id = 'twig';
      DELETE FROM session_model_usage WHERE session_id = 'twig';
      DELETE FROM sessions WHERE id = 'twig';
      COMMIT`);
  } catch {
    // A key of a part that somebody added forbids it, to Hermes as to everybody.
    if (db.inTransaction) db.exec('ROLLBACK');
  }
  db.exec(`INSERT INTO messages_fts (messages_fts) VALUES ('optimize')`);
  db.exec('VACUUM');
  db.close();
}
