import { onTestFinished } from 'vitest';
import { PostgresPlace, postgresStorePlace } from '../../../test/support/postgres-store.ts';
import { runKit } from '../../../test/support/run-kit.ts';
import { kitClock } from '../../kit/kit-case.ts';
import { homeLockCases, sharedLockCases } from '../../kit/lock-cases.ts';
import { gatewayBookCases, sessionRecordCases, sessionStoreCases } from '../../kit/store/session-store-cases.ts';
import { spendBookCases } from '../../kit/totals/spend-book-cases.ts';
import type { Database } from './database/database.ts';
import { openServerSpendBook } from './gateway/spend-book.ts';
import { createServerHomeLock, createServerSharedLock } from './locks/server-locks.ts';

runKit('the sessions of a home on a server', sessionStoreCases, () => postgresStorePlace());
runKit('the records of a home on a server', sessionRecordCases, () => postgresStorePlace());
runKit('the books of the gateway on a server', gatewayBookCases, () => postgresStorePlace());

runKit('the totals of a home on a server', spendBookCases, () => {
  const place = new PostgresPlace();
  const clock = kitClock();
  const open = async () => {
    const database = await place.database();
    const book = openServerSpendBook({ database, clock });
    onTestFinished(() => book[Symbol.dispose]());
    return book;
  };
  return { clock, open };
});

/** One database for all locks of a place, opened when the first of them is asked for. */
function databaseOfPlace(): () => Promise<Database> {
  const place = new PostgresPlace();
  let opened: Promise<Database> | undefined;
  return () => (opened ??= place.database());
}

runKit('the lock of a home on a server', homeLockCases, () => {
  const database = databaseOfPlace();
  return {
    lock: () => ({
      acquire: async (purpose, waitMs) => createServerHomeLock(await database()).acquire(purpose, waitMs),
    }),
  };
});

runKit('the shared lock on a server', sharedLockCases, () => {
  const database = databaseOfPlace();
  const lock = async () => createServerSharedLock(await database(), 'tested');
  return {
    lock: () => ({
      share: async (waitMs) => (await lock()).share(waitMs),
      alone: async (waitMs) => (await lock()).alone(waitMs),
    }),
  };
});
