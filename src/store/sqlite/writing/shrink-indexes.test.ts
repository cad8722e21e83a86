import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../../test/support/clock.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../../core/time.ts';
import { type Connection, openConnection } from '../database/connection.ts';
import { createPatientQueue, type PatientQueue } from './patient-queue.ts';
import { createWriteQueue } from './write-queue.ts';
import { dropRows } from '../sessions/session-removal.ts';
import { INDEXES } from '../search/search-indexes.ts';
import { mergeIndexes } from '../search/search-index.ts';
import { shrinkIndexes } from './shrink-indexes.ts';

const SESSIONS = 40;
const MESSAGES = 50;

let directory: string;
let db: Connection;
let queue: PatientQueue;

beforeEach(async () => {
  directory = tempDir();
  db = await openConnection(join(directory, 'state.db'));
  queue = createPatientQueue(db, createWriteQueue(db));
  return () => db[Symbol.dispose]();
});

/** Words that differ from message to message, as those of people do. */
function textOf(number: number): string {
  return Array.from({ length: 40 }, (_, at) => ((number * 7919 + at * 104_729) % 99_991).toString(36)).join(' ');
}

async function fill(): Promise<void> {
  for (let key = 1; key <= SESSIONS; key += 1) {
    await queue.run(() => {
      db.sql(`INSERT INTO sessions (key, id, state, source, title, started_at, last_active_at)
        VALUES (?, ?, 'live', 'cli', ?, 1, 1)`).run(key, `s${key}`, `title ${textOf(key)}`);
      for (let seq = 1; seq <= MESSAGES; seq += 1)
        db.sql(`INSERT INTO messages (session_key, seq, at, role, text) VALUES (?, ?, 0, 'user', ?)`).run(
          key,
          seq,
          textOf(key * MESSAGES + seq),
        );
    });
  }
  await queue.caughtUp();
}

const keysUpTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

function indexBytes(raw: BetterSqlite3.Database): number {
  const sum = raw.prepare(
    `SELECT sum(length(block)) FROM ${INDEXES.map((name) => `(SELECT block FROM ${name}_data)`).join(' UNION ALL SELECT sum(length(block)) FROM ')}`,
  );
  return (sum.pluck().all() as number[]).reduce((all, one) => all + one, 0);
}

/** What the indexes take when they are built anew from the same messages. */
function rebuiltBytes(): number {
  db.raw.pragma('wal_checkpoint(TRUNCATE)');
  const copy = join(directory, 'copy.db');
  copyFileSync(db.path, copy);
  const raw = new BetterSqlite3(copy);
  try {
    for (const index of INDEXES) raw.exec(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`);
    return indexBytes(raw);
  } finally {
    raw.close();
  }
}

function expectSound(): void {
  for (const index of INDEXES) db.raw.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
}

describe('the search indexes', () => {
  it.each([0.05, 0.5, 0.95])('take what new ones take, after %d of the sessions went', async (part) => {
    await fill();
    await dropRows(db, queue, keysUpTo(Math.floor(SESSIONS * part)));
    // Without it, what was deleted would stay.
    if (part > 0.9) expect(indexBytes(db.raw)).toBeGreaterThan(rebuiltBytes() * 1.3 + 64 * 1024);
    expect(await shrinkIndexes(db, queue, { now: NOW, erase: false })).toBe(true);
    expect(indexBytes(db.raw)).toBeLessThan(rebuiltBytes() * 1.3 + 64 * 1024);
    expectSound();
    expect(await shrinkIndexes(db, queue, { now: NOW, erase: true })).toBe(false);
  });

  it('are left alone while nothing was deleted', async () => {
    await fill();
    expect(await shrinkIndexes(db, queue, { now: NOW + DAY_MS, erase: true })).toBe(false);
  });

  it('are merged after a crash in the middle of it, by whoever comes next', async () => {
    await fill();
    await dropRows(db, queue, keysUpTo(20));
    let steps = 0;
    const dies: PatientQueue = {
      ...queue,
      step: (kind, write) => {
        steps += 1;
        return steps > 3 ? Promise.reject(new Error('killed')) : queue.step(kind, write);
      },
    };
    await expect(shrinkIndexes(db, dies, { now: NOW, erase: false })).rejects.toThrow('killed');
    expectSound();
    expect(await shrinkIndexes(db, queue, { now: NOW, erase: false })).toBe(true);
    expect(indexBytes(db.raw)).toBeLessThan(rebuiltBytes() * 1.3 + 64 * 1024);
    expectSound();
  });

  // FTS5 moves pieces to other levels by their sizes, so it depends on how much there is which merge drops words of its own accord.
  it.each([
    [1, 1],
    [3, 1],
    [10, 3],
    [40, 10],
    [120, 120],
    [300, 40],
  ])('hold no word of what is gone, with %d messages in each session that leave %d at a time', async (count, step) => {
    const raws = () =>
      INDEXES.flatMap((name) => db.raw.prepare(`SELECT block FROM ${name}_data`).pluck().all()) as Buffer[];
    const words = () => WORDS.filter((_, key) => raws().some((block) => block.includes(WORDS[key] ?? '')));
    for (const [at, word] of WORDS.entries()) await add(at + 1, count, word);
    expect(words()).toEqual(WORDS);
    for (const [at, word] of WORDS.entries()) {
      const ids = db
        .sql<[number], number>('SELECT id FROM messages WHERE session_key = ?')
        .pluck()
        .all(at + 1);
      for (let from = 0; from < ids.length; from += step)
        await queue.run(() => {
          db.sql('DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))').run(
            JSON.stringify(ids.slice(from, from + step)),
          );
          mergeIndexes(db, step * 100);
        });
      await dropRows(db, queue, [at + 1]);
      await shrinkIndexes(db, queue, { now: NOW, erase: true });
      expect(words(), word).toEqual(WORDS.slice(at + 1));
      expectSound();
    }
  });
});

/** Of each session one that nothing else has, and none begins as another does: an index keeps what two have in common once. */
const WORDS = ['aquixotic', 'bramblewick', 'czephyrous', 'dsnickersnee'];

async function add(key: number, count: number, word: string): Promise<void> {
  await queue.run(() => {
    db.sql(`INSERT INTO sessions (key, id, state, source, title, started_at, last_active_at)
      VALUES (?, ?, 'live', 'cli', ?, 1, 1)`).run(key, `s${key}`, `about ${word}`);
  });
  for (let seq = 1; seq <= count; seq += 1)
    await queue.run(() => {
      db.sql(`INSERT INTO messages (session_key, seq, at, role, text) VALUES (?, ?, 0, 'user', ?)`).run(
        key,
        seq,
        `${word} said in turn ${seq} of ${key}`,
      );
    });
  await queue.caughtUp();
}
