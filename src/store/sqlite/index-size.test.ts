import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { type Connection, openConnection } from './database/connection.ts';
import { giveBack } from './writing/give-back.ts';
import { createPatientQueue, type PatientQueue } from './writing/patient-queue.ts';
import { createWriteQueue } from './writing/write-queue.ts';
import { dropRows } from './sessions/session-removal.ts';
import { INDEXES } from './search/search-indexes.ts';

const ROUNDS = 4;
const WAYS = ['whole', 'stopped', 'died'] as const;

let directory: string;
let db: Connection;
let queue: PatientQueue;
let lastKey: number;

beforeEach(async () => {
  directory = tempDir();
  db = await openConnection(join(directory, 'state.db'));
  queue = createPatientQueue(db, createWriteQueue(db));
  lastKey = 0;
  return () => db[Symbol.dispose]();
});

/** What `docs/decisions/0023` states, for both indexes together. */
function statedBytes(): number {
  const row = db.sql<[], { text: number; count: number }>(
    'SELECT coalesce(sum(min(octet_length(text), 100000)), 0) AS text, count(*) AS count FROM messages',
  );
  const { text, count } = row.get() ?? { text: 0, count: 0 };
  return 4 * text + 64 * count + 256 * 1024;
}

/** As SQLite counts the pages of every table that belongs to an index. */
function indexBytes(): number {
  const pages = db.raw.prepare(`SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE aggregate = TRUE AND name GLOB ?`);
  return INDEXES.reduce((sum, index) => sum + Number(pages.pluck().get(`${index}_*`)), 0);
}

type Words = (number: number) => string;

/** The same numbers every time, as far apart as chance would have them. */
const scattered = (number: number) => (Math.imul(number ^ (number >>> 15), 0x2c1b3c6d) >>> 0) % 2 ** 31;
const KINDS: Record<string, { readonly words: Words; readonly perMessage: number; readonly messages: number }> = {
  'random words': { words: (n) => scattered(n).toString(36), perMessage: 400, messages: 8 },
  'Chinese text': {
    words: (n) => String.fromCharCode(...[1, 2, 3, 4].map((at) => 0x4e00 + (scattered(n * at) % 8000))),
    perMessage: 150,
    messages: 8,
  },
  'words that come again': { words: (n) => `word${scattered(n) % 500}`, perMessage: 300, messages: 8 },
  'single words': { words: (n) => scattered(n).toString(36).slice(0, 3), perMessage: 1, messages: 100 },
};

async function write(kind: string, sessions: number): Promise<number[]> {
  const { words, perMessage, messages } = KINDS[kind] ?? { words: String, perMessage: 0, messages: 0 };
  const keys = Array.from({ length: sessions }, (_, at) => lastKey + at + 1);
  for (const key of keys) {
    await queue.run(() => {
      db.sql(`INSERT INTO sessions (key, id, state, source, started_at, last_active_at)
        VALUES (?, ?, 'live', 'cli', 1, 1)`).run(key, `s${key}`);
      for (let seq = 1; seq <= messages; seq += 1) {
        const first = (key * messages + seq) * perMessage;
        const text = Array.from({ length: perMessage }, (_, at) => words(first + at)).join(' ');
        db.sql(`INSERT INTO messages (session_key, seq, at, role, text) VALUES (?, ?, 0, 'user', ?)`).run(
          key,
          seq,
          text,
        );
      }
    });
  }
  await queue.caughtUp();
  lastKey += sessions;
  return keys;
}

/** Gives back once as asked: to the end, until it was told to stop, or until its process died. */
async function giveBackOnce(way: (typeof WAYS)[number]): Promise<void> {
  const options = { now: NOW, erase: false };
  if (way === 'whole') await giveBack(db, queue, options);
  if (way === 'stopped') await giveBack(db, queue, { ...options, signal: AbortSignal.abort() });
  if (way !== 'died') return;
  let steps = 0;
  const dies: PatientQueue = {
    ...queue,
    step: (kind, work) => {
      if (kind === 'index') steps += 1;
      return steps > 2 ? Promise.reject(new Error('killed')) : queue.step(kind, work);
    },
  };
  await expect(giveBack(db, dies, options)).rejects.toThrow('killed');
}

describe('after a purge, the search indexes', () => {
  it.each(Object.keys(KINDS))('take no more than is stated, round after round: %s', async (kind) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await dropRows(db, queue, await write(kind, 4));
      await giveBack(db, queue, { now: NOW, erase: false });
      expect(indexBytes()).toBeLessThan(statedBytes());
    }
    expect(statSync(join(directory, 'state.db')).blocks * 512).toBeLessThan(512 * 1024);
  });

  it.each([0.1, 0.5, 0.9])('take no more than is stated when %d of the sessions went', async (part) => {
    for (const kind of Object.keys(KINDS)) {
      const keys = await write(kind, 10);
      await dropRows(db, queue, keys.slice(0, 10 * part));
      await giveBack(db, queue, { now: NOW, erase: false });
      expect(indexBytes()).toBeLessThan(statedBytes());
      expect(db.raw.pragma('freelist_count', { simple: true })).toBe(0);
    }
  });

  it.each(WAYS.slice(1))('take no more than is stated although what a purge before left was %s', async (way) => {
    for (let round = 0; round < 2; round += 1) {
      await dropRows(db, queue, await write('random words', 6));
      await giveBackOnce(way);
      await dropRows(db, queue, await write('random words', 6));
      await giveBackOnce('whole');
      expect(indexBytes()).toBeLessThan(statedBytes());
      for (const index of INDEXES) db.raw.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
    }
  });
});
