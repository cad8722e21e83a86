// The stated bound on what a home takes on the disk: the simulation holds the program to it, the bench draws it.

const MEGABYTE = 1024 * 1024;
/** What a message takes on the disk for each byte of its content: the row, two search indexes, the transcript. */
const BYTES_PER_BYTE = 5;
/** What the rows of a session take beside its messages. */
const BYTES_PER_SESSION = 1536;
/** What its folder takes: it, and each file in it, fill whole blocks. */
const BYTES_PER_FOLDER = 12 * 1024;
/** The ledger remembers every session that ever was. */
const LEDGER_BYTES = 400;
/** An empty database, locks, counters, and the log between two emptyings. */
const FIXED_BYTES = 6 * MEGABYTE;
/** Garbage of checkpoints may stand beside them for so much of their limit. */
const CHECKPOINT_SLACK = 0.25;

/** What a day's sessions take on the disk. */
export function arrivedBytes({ sessions, folders, contentBytes }) {
  return sessions * BYTES_PER_SESSION + folders * BYTES_PER_FOLDER + contentBytes * BYTES_PER_BYTE;
}

/**
 * For so many days something can be there that nobody holds: until it is closed, until it expires, the notice before it goes with
 * many others, its time in the trash, and once the time between two passes for each of the two that it takes.
 */
export function daysThere({ abandonDays, retentionDays, noticeDays, graceDays, intervalDays }) {
  return abandonDays + retentionDays + noticeDays + graceDays + 2 * intervalDays;
}

/**
 * How many bytes a home may take with nobody looking: what arrived in the days that a thing can be there, what is held, checkpoints
 * up to a quarter above their limit, the reserve, and a fixed part with some hundred bytes for every session that ever was. Where the
 * whole home has a limit, and leave to remove for good, it is that limit, as soon as a pass was made.
 */
export function statedBound(settings, { arrived, heldBytes, sessionsEver }) {
  const { capBytes, checkpointBytes, reserveBytes } = settings;
  if (capBytes !== undefined) return capBytes;
  const checkpoints = checkpointBytes * (1 + CHECKPOINT_SLACK);
  const steady = arrivedBytes(arrived) + heldBytes + sessionsEver * LEDGER_BYTES;
  return steady + checkpoints + reserveBytes + FIXED_BYTES;
}

/** The same for the checkpoints alone, garbage, caches and trash included. */
export function checkpointBound({ checkpointBytes }) {
  return checkpointBytes * (1 + CHECKPOINT_SLACK);
}
