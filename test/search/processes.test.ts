import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { finished, start } from '../e2e/run-coppice.ts';
import { type SearchDesk, searchDesk } from '../support/search-desk.ts';

const SESSIONS = 40;

function filled(): SearchDesk {
  const desk = searchDesk();
  for (let number = 1; number <= SESSIONS; number += 1) {
    const words = (from: number) =>
      Array.from({ length: 1500 }, (_, at) => ((at * 7919 + from) % 1_000_003).toString(36)).join(' ');
    desk.write(number, [
      `needle ${number}`,
      ...Array.from({ length: 8 }, (_, at) => words(number * 100 + at)),
      'last word',
    ]);
  }
  return desk;
}

const index = ({ own, env }: SearchDesk) => start(own, ['sessions', 'index'], { env });

describe('the search index between processes', () => {
  it('is kept up to date by maintenance, once there is one', async () => {
    const desk = searchDesk();
    desk.write(1, ['alpha']);
    const maintain = () => finished(start(desk.own, ['maintain', '--auto'], { env: desk.env }));
    await finished(start(desk.own, ['config', 'init'], { env: desk.env }));
    expect(await maintain()).toMatchObject({ code: 0 });
    expect(existsSync(desk.index)).toBe(false);
    expect(await desk.find('alpha')).toEqual([1]);
    desk.write(2, ['beta']);
    expect(await maintain()).toMatchObject({ code: 0 });
    const db = new Database(desk.index, { readonly: true });
    expect(db.prepare('SELECT count(*) FROM parts WHERE whole = 1').pluck().get()).toBe(2);
    db.close();
  }, 60_000);

  it('is whole, and has everything once, when two read into it at the same time', async () => {
    const desk = filled();
    const ends = await Promise.all([finished(index(desk)), finished(index(desk))]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(await desk.find('needle')).toHaveLength(SESSIONS);
    expect(await desk.find('"last word"')).toHaveLength(SESSIONS);
    expect(doubles(desk.index)).toEqual([]);
  }, 120_000);

  it('goes on where a process was killed, without a word twice or missing', async () => {
    const desk = filled();
    const child = index(desk);
    const end = finished(child);
    while (!isReading(desk.index)) await wait(1);
    child.kill('SIGKILL');
    await end;
    const db = new Database(desk.index);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
    const again = await finished(index(desk));
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toBe('The search index is up to date.\n');
    expect(await desk.find('needle')).toHaveLength(SESSIONS);
    expect(await desk.find('"last word"')).toHaveLength(SESSIONS);
    expect(doubles(desk.index)).toEqual([]);
  }, 120_000);
});

/** Whether somebody is in the middle of a conversation, and has read others already. */
function isReading(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const db = new Database(path, { readonly: true });
    try {
      const read = db.prepare<[], number>('SELECT count(*) FROM parts WHERE whole = 1').pluck().get() ?? 0;
      return read > 3 && db.prepare('SELECT 1 FROM parts WHERE reader IS NOT NULL').get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    // It is being made.
    return false;
  }
}

/** Parts whose blocks do not follow one another from the first message to the last. */
function doubles(path: string): unknown[] {
  const db = new Database(path, { readonly: true });
  try {
    return db
      .prepare(
        `SELECT part FROM blocks JOIN parts ON parts.key = part GROUP BY part
          HAVING count(*) <> count(DISTINCT first) OR min(first) <> 0 OR max(first) >= max(messages) OR max(messages) <> 10`,
      )
      .all();
  } finally {
    db.close();
  }
}
