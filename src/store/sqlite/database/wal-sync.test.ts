import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from './connection.ts';
import { createWriteQueue, type WriteQueue } from '../writing/write-queue.ts';

/** The syncs of the log that were asked for, each to be answered by the test. */
const syncs: ((error: Error | null) => void)[] = [];
const real = fs.fdatasync;

describe('the wait for the disk', () => {
  let root = '';
  let db: Connection;
  let queue: WriteQueue;
  beforeEach(async () => {
    root = fs.mkdtempSync(join(tmpdir(), 'coppice-wal-'));
    db = await openConnection(join(root, 'state.db'));
    queue = createWriteQueue(db);
    syncs.length = 0;
    fs.fdatasync = Object.assign((_: number, done: (error: Error | null) => void) => void syncs.push(done), {
      __promisify__: real.__promisify__,
    });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    fs.fdatasync = real;
    syncBuiltinESMExports();
    db[Symbol.dispose]();
    fs.rmSync(root, { recursive: true });
  });

  const put = (key: string) =>
    queue.run(() => db.sql(`INSERT INTO meta VALUES (?, '') ON CONFLICT DO NOTHING`).run(key));
  const mode = () => db.raw.pragma('synchronous', { simple: true });
  const FULL = 2;

  it('is over for all that were written together when the log is on the disk, and not before', async () => {
    let done = 0;
    const puts = ['a', 'b', 'c', 'd'].map((key) => put(key).then(() => (done += 1)));
    while (syncs.length === 0) await setImmediate();
    // Others see it already. They cannot have lost it: their own wait covers it.
    expect(db.sql(`SELECT count(*) FROM meta WHERE key IN ('a', 'b', 'c', 'd')`).pluck().get()).toBe(4);
    expect([done, mode()]).toEqual([0, FULL]);
    syncs[0]?.(null);
    await Promise.all(puts);
    expect([done, syncs.length]).toEqual([4, 1]);
  });

  it('lets writes gather, which then wait together', async () => {
    const first = ['a', 'b', 'c', 'd'].map(put);
    while (syncs.length === 0) await setImmediate();
    const later = ['e', 'f', 'g', 'h'].map(put);
    await setImmediate();
    expect(db.sql(`SELECT count(*) FROM meta WHERE key IN ('e', 'f', 'g', 'h')`).pluck().get()).toBe(0);
    syncs[0]?.(null);
    await Promise.all(first);
    while (syncs.length === 1) await setImmediate();
    syncs[1]?.(null);
    await Promise.all(later);
    expect(syncs).toHaveLength(2);
  });

  it('is left to SQLite for a write that is alone, and for a few', async () => {
    await put('a');
    await Promise.all([put('b'), put('c')]);
    expect([syncs.length, mode()]).toEqual([0, FULL]);
  });

  it('is a failure for all of them when the disk refuses', async () => {
    const puts = Promise.allSettled(['a', 'b', 'c', 'd'].map(put));
    while (syncs.length === 0) await setImmediate();
    syncs[0]?.(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
    expect((await puts).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
    await put('e');
  });
});
