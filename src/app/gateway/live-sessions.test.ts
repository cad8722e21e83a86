import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openSpendBook } from '../../store/sqlite/gateway/spend-book.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { DEFAULT_CONFIG } from '../config/config-defaults.ts';
import { LiveSessions } from './live-sessions.ts';

it('forgets the session that nobody has asked for longest, and none that is in use', async () => {
  const [clock, directory] = [manualClock(), tempDir()];
  const transcripts = { write: ({ mark }: { mark: { seq: number; sizeBytes: number } }) => ({ mark, problems: [] }) };
  const path = join(directory, 'state.db');
  const store = await openSqliteStore({ path, scratchDir: directory, clock, transcripts });
  const book = openSpendBook({ path: join(directory, 'live.db'), clock });
  onTestFinished(async () => {
    book[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
  });
  const facts = await store.create({ source: 'chat' });
  const told = { onStop: () => undefined, onShare: () => undefined };
  const live = new LiveSessions({ store, config: DEFAULT_CONFIG, clock, book, ...told });
  const follow = (id: number) => live.follow({ ...facts, id: String(id) });
  for (let id = 0; id < 10_000; id += 1) await follow(id);
  const [inUse, resolved] = [live.followed('0'), follow(2)];
  await follow(10_000);
  await follow(10_001);
  expect(live.followed('0')).toBe(inUse);
  expect(live.followed('2')).toBe(resolved);
  expect([live.followed('1'), live.followed('3')]).toEqual([undefined, undefined]);
});
