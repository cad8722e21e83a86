/**
 * What a third party needs to write a home or a store: the ports, and suites that say when it is done. The cases are data, so any test
 * runner can run them.
 */

export type { GatewayBooks } from '../core/gateway/gateway-books.ts';
export type { Allows, KeptChange, SpendBook, StepTogether } from '../core/gateway/spend-book.ts';
export type { HomeLock } from '../core/home-lock.ts';
export type { HomeDriver, ScanOptions } from '../core/retention/home-driver.ts';
export type {
  ArchiveItem,
  CheckpointItem,
  Inventory,
  Item,
  SessionItem,
  StrayItem,
  TrashItem,
} from '../core/retention/inventory.ts';
export type {
  ObjectEntry,
  ObjectRange,
  ObjectSource,
  ObjectStore,
  PutOptions,
  PutResult,
} from '../core/objects/object-store.ts';
export type { ConditionalPut } from '../core/objects/probe-objects.ts';
export type { ItemOutcome, RunItem } from '../core/retention/run.ts';
export type { SessionReader } from '../core/stores/session-reader.ts';
export type { HomeMemory, SessionRecords } from '../core/stores/session-records.ts';
export type { SessionStore } from '../core/stores/session-store.ts';
export type { SessionWriter } from '../core/stores/session-writer.ts';
export type { SharedLock } from '../core/shared-lock.ts';
export { dieAtChange, type WatchMore } from './homes/die-at-change.ts';
export { homeArchiveCases } from './homes/home-archive-cases.ts';
export { homeArchiveCrashCases, homeCrashCases } from './homes/home-crash-cases.ts';
export { homeDriverCases } from './homes/home-driver-cases.ts';
export { homeUseCases } from './homes/home-use-cases.ts';
export type { HomePlace, HomeTraits, PartAction, TestedHome } from './homes/tested-home.ts';
export { KIT_NOW, type KitCase, type KitClock, kitClock } from './kit-case.ts';
export { homeLockCases, type LockPlace, sharedLockCases } from './lock-cases.ts';
export { type ObjectPlace, objectStoreCases } from './objects/object-store-cases.ts';
export { journalCases } from './store/journal-cases.ts';
export { gatewayBookCases, sessionRecordCases, sessionStoreCases } from './store/session-store-cases.ts';
export type { StorePlace } from './store/store-desk.ts';
export { spendBookCases } from './totals/spend-book-cases.ts';
export type { SpendBookPlace } from './totals/spend-book-place.ts';
