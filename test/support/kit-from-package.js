// Runs suites of `coppice/kit` as a third party would, from the built package, in the test runner of Node. With --without-lock the lock
// lets everybody in, which they must find.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { homeLockCases, journalCases, kitClock, sharedLockCases, spendBookCases } from 'coppice/kit';
import { openSpendBook } from '../../dist/store/sqlite/gateway/spend-book.js';
import { createHomeLock } from '../../dist/store/sqlite/sqlite-home-lock.js';
import { createSharedLock } from '../../dist/store/sqlite/sqlite-shared-lock.js';
import { openSqliteStore } from '../../dist/store/sqlite/sqlite-store.js';

const directory = mkdtempSync(join(tmpdir(), 'coppice-kit-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const newPath = (name) => join(mkdtempSync(join(directory, 'place-')), name);
const open = { acquire: async () => ({ [Symbol.dispose]() {} }) };
const isLocking = !process.argv.includes('--without-lock');

for (const { name, run } of homeLockCases) {
  void test(name, () => {
    const path = newPath('lock.db');
    let holder;
    const note = { set: async (purpose) => void (holder = purpose), get: async () => holder };
    return run({ lock: () => (isLocking ? createHomeLock(path, note) : open) });
  });
}

for (const { name, run } of sharedLockCases) {
  void test(name, () => {
    const path = newPath('lock.db');
    return run({ lock: () => createSharedLock(path) });
  });
}

for (const { name, run } of journalCases) {
  void test(name, () => {
    const path = newPath('state.db');
    // The journal writes none.
    const transcripts = {};
    return run({ open: ({ clock }) => openSqliteStore({ path, scratchDir: dirname(path), clock, transcripts }) });
  });
}

for (const { name, run } of spendBookCases) {
  void test(name, async () => {
    const [path, clock] = [newPath('live.db'), kitClock()];
    const books = [];
    try {
      await run({
        clock,
        async open() {
          const book = openSpendBook({ path, clock });
          books.push(book);
          return book;
        },
      });
    } finally {
      for (const book of books) book[Symbol.dispose]();
    }
  });
}
