import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { type Connection, openConnection } from '../database/connection.ts';
import { createPatientQueue } from './patient-queue.ts';
import { createWriteQueue } from './write-queue.ts';

function open(db: Connection) {
  return createPatientQueue(db, createWriteQueue(db));
}

it('does less in a step when steps take long, and more again when they are quick', async () => {
  using db = await openConnection(join(tempDir(), 'state.db'));
  const queue = open(db);
  const limits: number[] = [];
  const step = (msEach: number) =>
    queue.step('messages', (limit) => {
      limits.push(limit);
      for (const until = performance.now() + limit * msEach; performance.now() < until; );
      return limit;
    });
  for (let count = 0; count < 5; count += 1) await step(0.5);
  const slow = limits.at(-1) ?? 0;
  expect(slow).toBeLessThan((limits[0] ?? 0) / 4);
  for (let count = 0; count < 9; count += 1) await step(0);
  expect(limits.at(-1)).toBeGreaterThan(slow);
  expect(Math.max(...limits)).toBe(limits[0]);
});

it('learns nothing from a step that had nothing to do', async () => {
  using db = await openConnection(join(tempDir(), 'state.db'));
  const queue = open(db);
  const limits: number[] = [];
  const step = (done: (limit: number) => number) =>
    queue.step('sessions', (limit) => {
      limits.push(limit);
      for (const until = performance.now() + 50; performance.now() < until; );
      return done(limit);
    });
  await step((limit) => limit);
  await step(() => 0);
  await step(() => 0);
  expect(limits[1]).toBeLessThan(limits[0] ?? 0);
  expect(limits[2]).toBe(limits[1]);
});

it('pauses after a long write while another connection writes, and not when it is alone', async () => {
  const path = join(tempDir(), 'state.db');
  using db = await openConnection(path);
  const queue = open(db);
  const firstOf = async () => {
    const order: string[] = [];
    const later = new Promise<void>((resolve) =>
      setImmediate(() => {
        order.push('others');
        resolve();
      }),
    );
    const write = () => {
      order.push('write');
      for (const until = performance.now() + 10; performance.now() < until; );
    };
    await Promise.all([queue.run(write), later]);
    return order[0];
  };
  expect([await firstOf(), await firstOf()]).toEqual(['write', 'write']);
  const other = new BetterSqlite3(path);
  other.prepare(`INSERT INTO meta VALUES ('other', '1')`).run();
  other.close();
  expect(await firstOf()).toBe('others');
});
