import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_BATCH_BYTES } from '../../../core/stores/session-writer.ts';
import { MOST_LOG_BYTES } from './bound-log.ts';
import { type Connection, openBeside, openConnection } from './connection.ts';
import { GatheredAppends } from '../sessions/gathered-appends.ts';
import { createWriteQueue } from '../writing/write-queue.ts';

const MEGABYTE = 'elm '.repeat(250_000);

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-log-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const database = () => join(root, 'state.db');
const logBytes = () => statSync(`${database()}-wal`).size;

function addSession(db: Connection): void {
  db.raw.exec(`INSERT INTO sessions (key, id, state, source, started_at, last_active_at)
    VALUES (1, 's', 'live', 'cli', 1, 1)`);
}

/** Somebody who writes and never moves the log, as a thread that gets no processor never does. */
function fillLog(beside: Connection, bytes: number): void {
  const insert = beside.sql(`INSERT INTO messages (session_key, seq, role, at, text) VALUES (1, ?, 'user', 1, ?)`);
  const first = Number(beside.sql('SELECT coalesce(max(seq), 0) + 1 FROM messages').pluck().get());
  for (let seq = first; seq < first + bytes / MEGABYTE.length; seq += 8)
    beside.transactLoosely(() => {
      for (let each = seq; each < seq + 8; each += 1) insert.run(each, MEGABYTE);
    });
}

it('whoever writes empties a log that is full first, whoever filled it', async () => {
  using db = await openConnection(database());
  addSession(db);
  const queue = createWriteQueue(db);
  using beside = openBeside(database());
  fillLog(beside, MOST_LOG_BYTES);
  expect(logBytes()).toBeGreaterThan(MOST_LOG_BYTES);
  await queue.run(() => db.sql(`UPDATE sessions SET title = 'trees'`).run());
  expect(logBytes()).toBeLessThan(MOST_LOG_BYTES / 8);
});

it('a reader that stays slows whoever writes, and does not stop them', async () => {
  using db = await openConnection(database());
  addSession(db);
  const queue = createWriteQueue(db);
  using beside = openBeside(database());
  using reader = openBeside(database());
  reader.raw.exec('BEGIN; SELECT count(*) FROM sessions');
  fillLog(beside, MOST_LOG_BYTES);
  const write = () => queue.run(() => db.sql(`UPDATE sessions SET title = 'trees'`).run());
  await write();
  expect(logBytes()).toBeGreaterThan(MOST_LOG_BYTES);
  reader.raw.exec('COMMIT');
  await write();
  expect(logBytes()).toBeLessThan(MOST_LOG_BYTES / 8);
});

it('long messages that are asked for together share a transaction only up to a bound in bytes', async () => {
  using db = await openConnection(database());
  const stored: number[] = [];
  const appends = new GatheredAppends(createWriteQueue(db), (_, messages) => {
    stored.push(messages.length);
    return { firstSeq: 1, lastSeq: messages.length, size: { messages: 0, bytes: 0 }, problems: [] };
  });
  const message = { role: 'user', content: MEGABYTE } as const;
  await Promise.all(Array.from({ length: 20 }, () => appends.add('s', [message])));
  expect(stored.reduce((sum, count) => sum + count)).toBe(20);
  expect(Math.max(...stored) * MEGABYTE.length).toBeLessThanOrEqual(MAX_BATCH_BYTES);
});
