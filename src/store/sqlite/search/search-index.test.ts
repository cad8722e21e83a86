import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { type Connection, IN_MEMORY, openConnection } from '../database/connection.ts';
import { createWriteQueue } from '../writing/write-queue.ts';
import { addToIndexes, indexMessages, isIndexBehind, mergePages } from './search-index.ts';

const INDEXES = ['message_words', 'message_parts'] as const;

async function open(): Promise<Connection> {
  const db = await openConnection(IN_MEMORY);
  db.raw.exec(`INSERT INTO sessions (id, state, source, started_at, last_active_at) VALUES ('s', 'live', 'cli', 1, 1)`);
  return db;
}

let seq = 0;

/** A row by a program that knows the table and nothing of the index. */
function write(db: Connection, text: string): void {
  seq += 1;
  db.sql(`INSERT INTO messages (session_key, seq, role, at, text) VALUES (1, ?, 'user', 1, ?)`).run(seq, text);
}

function found(db: Connection, index: string, word: string): readonly number[] {
  return db.sql<[string], number>(`SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid`).pluck().all(word);
}

/** Throws when an index and the text it stands for differ. */
function compare(db: Connection): void {
  for (const index of INDEXES) db.raw.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
}

it('has every message of a transaction before its commit', async () => {
  using db = await open();
  await createWriteQueue(db).run(() => {
    for (const word of ['oak', 'elm', 'ash']) write(db, word);
  });
  for (const index of INDEXES) expect(found(db, index, 'elm')).toEqual([2]);
  compare(db);
});

it('learns what a program wrote that knows nothing of it with the next write of any kind', async () => {
  using db = await open();
  write(db, 'oak');
  expect(found(db, 'message_words', 'oak')).toEqual([]);
  await createWriteQueue(db).run(() => db.sql(`UPDATE sessions SET title = 'trees'`).run());
  for (const index of INDEXES) expect(found(db, index, 'oak')).toEqual([1]);
});

it('is merged in steps, and says when there is nothing left to merge', async () => {
  using db = await open();
  const pieces = () => db.sql('SELECT count(DISTINCT segid) FROM message_words_idx').pluck().get();
  expect(mergePages(db, 1)).toBe(false);
  for (let piece = 0; piece < 20; piece += 1) {
    write(db, `oak ${piece}`);
    db.transact(() => addToIndexes(db, 1));
  }
  expect([pieces(), mergePages(db, 1)]).toEqual([20, true]);
  while (mergePages(db, 1));
  expect(pieces()).toBe(1);
  expect(found(db, 'message_words', 'oak')).toHaveLength(20);
  compare(db);
});

it('agrees with the messages whatever is written, rewritten and deleted, and whenever it catches up', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), text: fc.constantFrom('oak birch', 'fir', '', '東京の天気') }),
    fc.record({ kind: fc.constantFrom('deleteNewest' as const, 'deleteOldest' as const, 'catchUp' as const) }),
    fc.record({ kind: fc.constant('rewrite' as const), text: fc.constantFrom('oak', 'elm') }),
  );
  using db = await open();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      for (const { kind, ...rest } of steps) {
        const text = 'text' in rest ? rest.text : '';
        if (kind === 'write') write(db, text);
        else if (kind === 'deleteNewest')
          db.sql('DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)').run();
        else if (kind === 'deleteOldest')
          db.sql('DELETE FROM messages WHERE id = (SELECT min(id) FROM messages)').run();
        else if (kind === 'rewrite')
          db.sql('UPDATE messages SET text = ? WHERE id = (SELECT max(id) FROM messages)').run(text);
        else indexMessages(db);
        compare(db);
      }
      indexMessages(db);
      compare(db);
      const oaks = db.sql<[], number>(`SELECT id FROM messages WHERE text LIKE 'oak%' ORDER BY id`).pluck().all();
      for (const index of INDEXES) expect(found(db, index, 'oak')).toEqual(oaks);
    }),
    { numRuns: 300 },
  );
});

it('stays in few pieces, however many transactions wrote it', async () => {
  using db = await open();
  for (let count = 0; count < 3000; count += 1) {
    db.transact(() => {
      write(db, `message ${count} about ${count % 7} trees and ${(count * 7919) % 1000} birds`);
      indexMessages(db);
    });
  }
  for (const index of INDEXES) {
    const pieces = db.sql<[], number>(`SELECT count(DISTINCT segid) FROM ${index}_idx`).pluck().get();
    // Up to sixteen at each of three levels, and those into which they are being merged.
    expect(pieces).toBeLessThan(52);
  }
  compare(db);
});

it('follows when many write at once, and a portion at a time', async () => {
  using db = await open();
  const queue = createWriteQueue(db);
  const long = 'elm '.repeat(5000);
  await Promise.all(Array.from({ length: 8 }, () => queue.run(() => write(db, long))));
  expect(found(db, 'message_words', 'elm')).toEqual([]);
  await queue.run(() => write(db, 'oak'));
  expect(isIndexBehind(db)).toBe(true);
  compare(db);
  await queue.indexed();
  for (const index of INDEXES) expect(found(db, index, 'elm')).toHaveLength(8);
  for (const index of INDEXES) expect(found(db, index, 'oak')).toEqual([9]);
  compare(db);
});

it('catches up by itself when nobody writes any more', async () => {
  using db = await open();
  const queue = createWriteQueue(db);
  await Promise.all(['oak', 'elm', 'fir', 'ash'].map((word) => queue.run(() => write(db, word))));
  expect(isIndexBehind(db)).toBe(true);
  await vi.waitFor(() => expect(isIndexBehind(db)).toBe(false), { timeout: 20_000 });
  expect(found(db, 'message_parts', 'elm')).toEqual([2]);
});

it('is never further behind than so many megabytes, however many write at once and for however long', async () => {
  using db = await open();
  const queue = createWriteQueue(db);
  const long = 'elm '.repeat(25_000);
  let most = 0;
  for (let round = 0; round < 60; round += 1) {
    await Promise.all([1, 2, 3, 4].map(() => queue.run(() => write(db, long))));
    const waiting = db.sql<[], number>('SELECT count(*) FROM messages WHERE id > (SELECT up_to FROM indexed)').pluck();
    most = Math.max(most, waiting.get() ?? 0);
  }
  expect(most).toBeGreaterThan(150);
  expect(most * long.length).toBeLessThan(18_000_000);
});

it('can be waited for in a flood that does not end', async () => {
  using db = await open();
  const queue = createWriteQueue(db);
  const long = 'elm '.repeat(5000);
  const round = () => Promise.all([1, 2, 3, 4].map(() => queue.run(() => write(db, long))));
  await round();
  await queue.run(() => write(db, 'oak'));
  const waiting = { isOver: false };
  const indexed = queue.indexed().then(() => (waiting.isOver = true));
  for (let rounds = 0; !waiting.isOver && rounds < 100; rounds += 1) await round();
  expect(waiting.isOver).toBe(true);
  expect(isIndexBehind(db)).toBe(true);
  expect(found(db, 'message_words', 'oak')).toEqual([5]);
  await indexed;
});

it('takes over what a process left behind that is gone', async () => {
  using db = await open();
  for (let count = 0; count < 2500; count += 1) write(db, 'elm');
  const queue = createWriteQueue(db);
  await queue.run(() => write(db, 'oak'));
  await vi.waitFor(() => expect(isIndexBehind(db)).toBe(false), { timeout: 20_000 });
  expect(found(db, 'message_words', 'elm')).toHaveLength(2500);
});

it('is built anew from the messages that are there after it was let go of', async () => {
  using db = await open();
  const queue = createWriteQueue(db);
  for (const word of ['oak', 'elm', 'fir']) await queue.run(() => write(db, `${word} ivy`));
  await queue.letIndexGo();
  for (const index of INDEXES) expect(found(db, index, 'ivy')).toEqual([]);
  compare(db);
  await queue.run(() => db.sql('DELETE FROM messages WHERE id = 2').run());
  // What is written meanwhile waits its turn, and nobody who writes pays for what was there before.
  await queue.run(() => write(db, 'ash ivy'));
  expect(isIndexBehind(db)).toBe(true);
  await queue.caughtUp();
  for (const index of INDEXES) expect(found(db, index, 'ivy')).toEqual([1, 3, 4]);
  compare(db);
});

it('takes in no more than a few megabytes in one transaction, whatever was left to do', async () => {
  using db = await open();
  const long = 'elm '.repeat(25_000);
  for (let count = 0; count < 100; count += 1) write(db, long);
  await createWriteQueue(db).run(() => write(db, 'oak'));
  const indexed = db.sql<[], number>('SELECT up_to FROM indexed').pluck().get() ?? 0;
  expect(indexed).toBeGreaterThan(30);
  expect(indexed).toBeLessThan(50);
});
