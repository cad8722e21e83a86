import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { nativeStorePlace } from '../../../test/support/native-store.ts';
import { runKit } from '../../../test/support/run-kit.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { kitClock } from '../../kit/kit-case.ts';
import { homeLockCases, sharedLockCases } from '../../kit/lock-cases.ts';
import { spendBookCases } from '../../kit/totals/spend-book-cases.ts';
import { gatewayBookCases } from '../../kit/store/session-store-cases.ts';
import { openSpendBook } from './gateway/spend-book.ts';
import { createHomeLock } from './sqlite-home-lock.ts';
import { createSharedLock } from './sqlite-shared-lock.ts';

runKit('the totals in SQLite', spendBookCases, () => {
  const path = join(tempDir(), 'live.db');
  const clock = kitClock();
  const open = async () => {
    const book = openSpendBook({ path, clock });
    onTestFinished(() => book[Symbol.dispose]());
    return book;
  };
  return { clock, open };
});

runKit('the lock of a home in SQLite', homeLockCases, () => {
  const path = join(tempDir(), 'lock.db');
  let holder: string | undefined;
  const note = { set: async (purpose: string) => void (holder = purpose), get: async () => holder };
  return { lock: () => createHomeLock(path, note) };
});

runKit('the shared lock in SQLite', sharedLockCases, () => {
  const path = join(tempDir(), 'lock.db');
  return { lock: () => createSharedLock(path) };
});

runKit('the books of the gateway in SQLite', gatewayBookCases, nativeStorePlace);
