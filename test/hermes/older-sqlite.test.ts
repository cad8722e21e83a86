import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import { doneAll, itemsFor } from '../../src/homes/tested-home.conformance.ts';
import { campaignSize, SEED } from '../support/campaign.ts';
import { seededRandom } from '../support/crash-content.js';
import { openHermesDriver } from '../support/hermes-archiving-home.ts';
import { buildHermesHome } from '../support/hermes-home.ts';
import type { HermesJournal, HermesSchema } from '../support/hermes-schema.ts';
import { NO_OLDER_SQLITE, olderSqlite } from '../support/older-sqlite.ts';
import { tempDir } from '../support/temp-dir.ts';

/*
 * Many a Hermes runs on an SQLite that is older than the one Coppice brings. Since 3.44, an entry that came back loses the mark
 * that something older lies below it when it is merged with the tombstone above that; an older SQLite then revives the oldest.
 */

const LAYOUTS = [
  [25, 'wal'],
  ['legacy', 'delete'],
  [30, 'wal'],
] as const satisfies readonly (readonly [HermesSchema, HermesJournal])[];

const INDEXES = ['messages_fts', 'messages_fts_trigram'];

describe.skipIf(NO_OLDER_SQLITE !== undefined)(
  `a Hermes on an older SQLite (${NO_OLDER_SQLITE ?? 'it is here'})`,
  () => {
    const trials = campaignSize({ usual: 3, torture: 48 });
    for (let trial = 0; trial < trials; trial += 1) {
      const seed = SEED + trial;
      const [schema, journal] = LAYOUTS[trial % LAYOUTS.length] ?? LAYOUTS[0];
      const action = trial % 4 === 0 ? 'archive' : 'remove';
      it(`prunes, searches and vacuums what went and came back (${action}, schema ${schema}, ${journal}, seed ${seed})`, async () => {
        const home = build({ schema, journal, seed });
        const ids = GROUPS.flat();
        const { driver, close } = await openHermesDriver(home);
        await goAndComeBack(driver, { seed, action });
        await close();
        expect(checks(home)).toEqual([]);
        // Its prune, a few sessions in each transaction, with the merges that it makes now and then.
        for (const some of groupsOf(ids.slice(0, ids.length / 2), 4)) expect(olderSqlite(home, prune(some))).toBe('');
        expect(checks(home)).toEqual([]);
        expect(olderSqlite(home, found(ids.slice(0, ids.length / 2)))).toBe('0');
        expect(olderSqlite(home, found(ids.slice(ids.length / 2)))).toBe(String((ids.length / 2) * MESSAGES));
        expect(olderSqlite(home, `${INDEXES.map(optimize).join('')} VACUUM;`)).toBe('');
        expect(checks(home)).toEqual([]);
      });
    }
  },
);

const SESSIONS = 32;
const MESSAGES = 4;
const GROUPS = groupsOf(
  Array.from({ length: SESSIONS }, (_, at) => `s${at}`),
  2,
);

function groupsOf(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, at * size + size));
}

/** Every session says its own name, so that a search tells whose messages the index holds. */
function build({ schema, journal, seed }: { schema: HermesSchema; journal: HermesJournal; seed: number }): string {
  const random = seededRandom(seed);
  const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  const home = buildHermesHome(join(tempDir(), 'hermes'), {
    schema,
    journal,
    sessions: ['kept', ...GROUPS.flat()].map((id) => ({
      id,
      messages: Array.from({ length: MESSAGES }, () => `name${id}x ${Array.from({ length: 40 }, word).join(' ')}`),
    })),
  });
  expect(
    olderSqlite(home, `${INDEXES.map(often).join('')} ${`${SAY} ${INDEXES.map(optimize).join('')}`.repeat(8)}`),
  ).toBe('');
  return home;
}

/** Hermes sets it, so that its merges are small ones. */
function often(index: string): string {
  return `INSERT INTO ${index} (${index}, rank) VALUES ('usermerge', 2);`;
}

/** With each pass of its maintenance, what was there before moves a level further from what comes after. */
const SAY = `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('kept', 'user', 'more of it', 1);`;

const WORDS = Array.from({ length: 400 }, (_, at) => `w${(at * 7919) % 10_007}d`);

interface Going {
  readonly seed: number;
  readonly action: 'remove' | 'archive';
}

/** Two rounds, a few sessions at a time, so that each index has many parts. */
async function goAndComeBack(driver: HomeDriver, { seed, action }: Going): Promise<void> {
  const random = seededRandom(seed);
  for (const round of [1, 2]) {
    const taken: [run: string, items: Awaited<ReturnType<typeof itemsFor>>][] = [];
    for (const [at, ids] of GROUPS.entries()) {
      const run = `01900000-0000-7000-8000-0000000000${round}${at}`;
      const items = await itemsFor({ driver }, ids, action);
      expect(await driver.discard(run, items)).toEqual(doneAll(items));
      taken.push([run, items]);
    }
    while (taken.length > 0) {
      const [[run, items] = ['', []]] = taken.splice(Math.floor(random() * taken.length), 1);
      expect(await driver.restore(run, items)).toEqual(doneAll(items));
    }
  }
}

/** Messages before their sessions, as Hermes does it, and the merges that it makes after so many writes. */
function prune(ids: readonly string[]): string {
  const named = ids.map((id) => `'${id}'`).join();
  return `PRAGMA foreign_keys = ON; BEGIN IMMEDIATE;
    DELETE FROM messages WHERE session_id IN (${named});
    DELETE FROM sessions WHERE id IN (${named});
    COMMIT;
    ${INDEXES.map((index) => `INSERT INTO ${index} (${index}, rank) VALUES ('merge', 500);`).join('')}`;
}

function optimize(index: string): string {
  return `INSERT INTO ${index} (${index}) VALUES ('optimize');`;
}

/** How many messages of these sessions a search by part of a word finds. */
function found(ids: readonly string[]): string {
  const match = ids.map((id) => `name${id}x`).join(' OR ');
  return `SELECT count(*) FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '${match}';`;
}

/** What the older SQLite has against the database and its indexes, each compared with what it is about. */
function checks(home: string): string[] {
  const ask = (sql: string, good: string) => [olderSqlite(home, sql)].filter((answer) => answer !== good);
  return [
    ...ask('PRAGMA integrity_check;', 'ok'),
    ...INDEXES.flatMap((index) => ask(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1);`, '')),
  ];
}
