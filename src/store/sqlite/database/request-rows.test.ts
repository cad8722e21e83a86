import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../../test/support/clock.ts';
import { REQUESTS_SCHEMA } from '../schema/010-requests.ts';
import { RequestRows } from './request-rows.ts';

function openRows() {
  const raw = new BetterSqlite3(':memory:');
  onTestFinished(() => void raw.close());
  raw.exec(REQUESTS_SCHEMA);
  const clock = manualClock();
  const db = { sql: (text: string) => raw.prepare(text) as never };
  const rows = new RequestRows(db, clock, { requests: 10, answers: 3 });
  const keys = () => raw.prepare('SELECT key FROM requests ORDER BY number').pluck().all();
  return { rows, clock, keys };
}

const asked = (key: string) => ({ key, print: 'p', isKnown: false });

describe('requests that bore a key', () => {
  it('does what is asked for once, and says again what that gave', () => {
    const { rows } = openRows();
    let done = 0;
    const work = () => ({ done: (done += 1) });
    expect([rows.once(asked('a'), work), rows.once(asked('a'), work)]).toEqual([{ done: 1 }, { done: 1 }]);
    expect(rows.once(undefined, work)).toEqual({ done: 2 });
    expect(rows.find('a')).toEqual({ print: 'p', state: 'noted', result: '{"done":1}' });
    expect(rows.once(asked('nothing'), () => undefined)).toBeUndefined();
    expect(rows.once(asked('nothing'), () => 1)).toBeUndefined();
  });

  it('keeps the newest, and fewer of those with whole answers', () => {
    const { rows, keys } = openRows();
    for (let number = 1; number <= 25; number += 1) rows.put(asked(`n${number}`), 'noted', '1');
    expect(keys()).toEqual(Array.from({ length: 10 }, (_, index) => `n${index + 16}`));
    for (let number = 1; number <= 5; number += 1) rows.put(asked(`a${number}`), 'answered', '{}');
    expect(keys()).toEqual(['n21', 'n22', 'n23', 'n24', 'n25', 'a3', 'a4', 'a5']);
    // An answer to one that has begun takes its place, and makes nothing else go.
    rows.put(asked('a3'), 'begun', '');
    rows.put(asked('a3'), 'answered', '{"last":true}');
    expect([keys().length, rows.find('a3')?.result]).toEqual([8, '{"last":true}']);
  });

  it('forgets what is older than was said, and nothing else', () => {
    const { rows, clock, keys } = openRows();
    rows.put(asked('old'), 'noted', '1');
    clock.advance(1000);
    rows.put(asked('new'), 'noted', '1');
    expect([rows.isOlder(clock.now() - 1000), rows.isOlder(clock.now())]).toEqual([false, true]);
    rows.dropBefore(clock.now());
    expect([keys(), rows.isOlder(clock.now())]).toEqual([['new'], false]);
  });
});
