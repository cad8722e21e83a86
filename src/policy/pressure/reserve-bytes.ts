const MIB = 1024 * 1024;

/** The share of the databases that the reserve has: what removing writes before anything is free again. */
const SHARE = 1 / 8;
/** The least that is of use: a few steps of removing, with their log. */
const LEAST_BYTES = 4 * MIB;
/** The disk has to have so many times as much free as the reserve takes of it. */
const PLENTY = 4;

export interface ReserveFacts {
  /** What the databases of the home take. */
  readonly databaseBytes: number;
  /** The most that the settings allow; 0 for none at all. */
  readonly maxBytes: number;
  /** What the reserve takes now. */
  readonly presentBytes: number;
  /** What of it was given up a moment ago to make room for the change that is done now. */
  readonly releasedBytes: number;
  /** What the disk has left now. */
  readonly freeBytes: number;
}

/**
 * How large the reserve for a full disk is to be: an eighth of the databases, at least 4 MiB, at most what the settings say. It
 * grows out of plenty only, because it must never be what fills the disk; but what was given up for a change is taken back from
 * whatever that left, because nobody else ever had it. It shrinks when it would be too large for databases of twice the size.
 */
export function reserveBytes(facts: ReserveFacts): number {
  const { databaseBytes, maxBytes, presentBytes, releasedBytes, freeBytes } = facts;
  const wanted = wantedBytes(databaseBytes, maxBytes);
  if (presentBytes >= wanted) return presentBytes > wantedBytes(2 * databaseBytes, maxBytes) ? wanted : presentBytes;
  if (freeBytes >= PLENTY * (wanted - presentBytes)) return wanted;
  const takenBack = Math.min(wanted, releasedBytes, presentBytes + wholeMiB(freeBytes));
  return Math.max(presentBytes, takenBack);
}

function wantedBytes(databaseBytes: number, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(LEAST_BYTES, wholeMiB(databaseBytes * SHARE)));
}

function wholeMiB(bytes: number): number {
  return Math.floor(bytes / MIB) * MIB;
}
