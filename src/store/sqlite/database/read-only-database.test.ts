import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { mayOnlyRead } from '../../../platform/sqlite/open-at-rest.ts';
import { openConnection } from './connection.ts';

const COUNT = 'SELECT count(*) FROM sessions';

it('reads a database at rest without a trace, and ends once somebody else writes to it', async () => {
  const directory = tempDir();
  const path = join(directory, 'state.db');
  (await openConnection(path))[Symbol.dispose]();
  using reading = await openConnection(path, { onlyRead: true });
  expect(reading.sql(COUNT).pluck().get()).toBe(0);
  expect(() => reading.transact(() => reading.raw.exec(`DELETE FROM sessions`))).toThrow('readonly');
  expect(readdirSync(directory)).toEqual(['state.db']);
  {
    using writing = await openConnection(path);
    writing.transact(() => writing.raw.exec(`INSERT INTO meta VALUES ('a', 'b')`));
  }
  expect(() => reading.sql(COUNT)).toThrow('Somebody wrote to');
});

it('reads what a living process has written and not moved out of its log', async () => {
  const path = join(tempDir(), 'state.db');
  using writing = await openConnection(path);
  writing.transact(() => writing.raw.exec(`INSERT INTO meta VALUES ('a', 'b')`));
  using reading = await openConnection(path, { onlyRead: true });
  expect(reading.sql(`SELECT value FROM meta WHERE key = 'a'`).pluck().get()).toBe('b');
});

it('says of an older database that it cannot be brought up to date', async () => {
  const path = join(tempDir(), 'state.db');
  {
    using made = await openConnection(path);
    made.raw.pragma('user_version = 1');
  }
  await expect(openConnection(path, { onlyRead: true })).rejects.toThrow('written by an older Coppice');
});

it('is not asked for where a database may be written, or is not there', async () => {
  const path = join(tempDir(), 'state.db');
  expect(mayOnlyRead(path)).toBe(false);
  (await openConnection(path))[Symbol.dispose]();
  expect(mayOnlyRead(path)).toBe(false);
});
