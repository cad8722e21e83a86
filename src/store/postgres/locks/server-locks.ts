import type { HomeLock } from '../../../core/home-lock.ts';
import type { SharedLock } from '../../../core/shared-lock.ts';
import type { Database } from '../database/database.ts';
import { takeLock } from './lock-rows.ts';

/** The lock of a home on a server: one process of all machines at a time. */
export function createServerHomeLock(db: Database): HomeLock {
  return { acquire: (purpose, waitMs) => takeLock(db, { name: 'home', isAlone: true, purpose, waitMs }) };
}

/** A lock that all machines share, or one process of one of them has alone. */
export function createServerSharedLock(db: Database, name: string): SharedLock {
  const wish = { name: `shared:${name}`, purpose: '' };
  return {
    share: (waitMs) => takeLock(db, { ...wish, isAlone: false, waitMs }),
    alone: (waitMs) => takeLock(db, { ...wish, isAlone: true, waitMs }),
  };
}
