/**
 * What a third party needs to write a store: the ports, and suites that say when it is done. The cases are data, so any test runner can
 * run them.
 */

export type { GatewayBooks } from '../core/gateway/gateway-books.ts';
export type { Allows, KeptChange, SpendBook, StepTogether } from '../core/gateway/spend-book.ts';
export type { HomeLock } from '../core/home-lock.ts';
export type { SessionReader } from '../core/sessions/session-reader.ts';
export type { HomeMemory, SessionRecords } from '../core/sessions/session-records.ts';
export type { SessionStore } from '../core/sessions/session-store.ts';
export type { SessionWriter } from '../core/sessions/session-writer.ts';
export type { SharedLock } from '../core/shared-lock.ts';
export { KIT_NOW, type KitCase, type KitClock, kitClock } from './kit-case.ts';
export { homeLockCases, type LockPlace, sharedLockCases } from './lock-cases.ts';
export { spendBookCases } from './spend-book-cases.ts';
export type { SpendBookPlace } from './spend-book-place.ts';
