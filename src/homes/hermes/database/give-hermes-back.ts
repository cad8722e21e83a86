import { join } from 'node:path';
import { DAY_MS, type EpochMs } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { freeBytes } from '../../../platform/machine/file-system-facts.ts';
import { otherHolders } from '../../../platform/sqlite/database-holders.ts';
import { type HermesDatabase, readHermes } from './hermes-connection.ts';
import type { HermesWriter } from './hermes-writer.ts';
import { readStamp, writeStamp } from './state-stamps.ts';

export interface GiveBackParts {
  readonly home: string;
  readonly hermes: HermesWriter;
  readonly now: EpochMs;
}

/**
 * Whether the rules may allow it, seen without any lock: most times they do not, and Hermes is not disturbed then. Where nothing can
 * be read, whoever takes the lock finds out why.
 */
export async function mayGiveBack(home: string, now: EpochMs): Promise<boolean> {
  try {
    return await readHermes(home, async (hermes) => isDue(hermes, now));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return true;
  }
}

/**
 * Gives the free pages of the database back by the rules that Hermes has for itself: rarely, only if much is free, with room for
 * a second copy, and only while no other process has the database open. Returns how many bytes; none when a rule says no.
 */
export function giveHermesBack({ home, hermes, now }: GiveBackParts): number {
  const { db } = hermes;
  if (!isDue(hermes, now)) return 0;
  const before = databaseBytes(hermes);
  if (freeBytes(home) < 2 * before || otherHolders(join(home, 'state.db')) !== 'none') return 0;
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.exec('VACUUM');
  writeStamp(hermes, 'last_vacuum', now);
  db.pragma('wal_checkpoint(TRUNCATE)');
  return Math.max(0, before - databaseBytes(hermes));
}

/** Rarely, and only if much is free. */
function isDue(hermes: HermesDatabase, now: EpochMs): boolean {
  const lastAt = readStamp(hermes, 'last_vacuum', now);
  if (lastAt !== undefined && now - lastAt < MIN_INTERVAL_MS) return false;
  return count(hermes, 'freelist_count') > count(hermes, 'page_count') * MIN_FREE_RATIO;
}

const MIN_INTERVAL_MS = 30 * DAY_MS;
const MIN_FREE_RATIO = 0.25;

/** By its pages: the size of the file says nothing while a log lies beside it. */
export function databaseBytes(hermes: HermesDatabase): number {
  return count(hermes, 'page_count') * count(hermes, 'page_size');
}

function count({ db }: HermesDatabase, pragma: string): number {
  return Number(db.pragma(pragma, { simple: true }));
}
