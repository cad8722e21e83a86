import { hash, randomBytes } from 'node:crypto';
import { type EpochMs, HOUR_MS } from '../../core/time.ts';
import { findProcess } from '../machine/find-process.ts';
import { currentProcess } from '../machine/process-identity.ts';

// Every temporary thing bears its owner in its name, so that whoever comes next can tell what a dead process left behind from
// what a living one is at: `<prefix>-<pid>-<machine>-<start>-<since>-<random>`.

/** The prefix of what stands beside the file that it becomes. */
const BESIDE = '.tmp';

/** A name that nobody else has, and that says which process made it and when. */
export function temporaryName(prefix = BESIDE): string {
  return `${prefix}-${ownMark()}-${Date.now().toString(36)}-${randomBytes(8).toString('hex')}`;
}

/** True for the names of files and folders that a write in progress uses, so that they can be told from content. */
export function isTemporaryName(name: string, prefix = BESIDE): boolean {
  return (prefix === BESIDE && EARLIER.test(name)) || ownerOf(name, prefix) !== undefined;
}

/** As earlier versions named them: without a start, a process of the same number cannot be told from the owner. */
const EARLIER = /^\.tmp-\d+-[0-9a-f]{16}$/;

/** Who made a temporary thing. Two things with the same mark were made by the same process. */
export interface TemporaryOwner {
  readonly mark: string;
  readonly since: EpochMs;
  readonly state: 'alive' | 'dead' | 'unknown';
}

/** Reads a name that `temporaryName` made with this prefix; `undefined` for any other. */
export function ownerOf(name: string, prefix = BESIDE): TemporaryOwner | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined;
  const [, mark = '', pid, machine = '', start = '', since = ''] = OWNED.exec(name.slice(prefix.length + 1)) ?? [];
  if (pid === undefined) return undefined;
  return { mark, since: Number.parseInt(since, 36), state: stateOf({ pid: Number(pid), machine, start }) };
}

const OWNED = /^((\d{1,10})-([0-9a-f]{8})-([0-9a-f]{8}))-([0-9a-z]{1,10})-[0-9a-f]{16}$/;

/**
 * Whether a temporary thing of this name has no owner any more. One whose owner cannot be looked at, because it is of another
 * machine, container or boot, is taken for left behind an hour after it was last touched.
 */
export function isLeftBehind(name: string, touchedAt: EpochMs, prefix = BESIDE): boolean {
  if (!isTemporaryName(name, prefix)) return false;
  const state = ownerOf(name, prefix)?.state ?? 'unknown';
  return state === 'dead' || (state === 'unknown' && Date.now() - touchedAt > HOUR_MS);
}

interface Mark {
  readonly pid: number;
  readonly machine: string;
  readonly start: string;
}

function stateOf({ pid, machine, start }: Mark): TemporaryOwner['state'] {
  if (machine !== ownMark().split('-')[1]) return 'unknown';
  const found = findProcess(pid);
  if (found === undefined) return 'dead';
  // A later process of the same number has another start.
  return start === shortHash(found.startedAt) || start === NOT_TOLD || found.startedAt === '' ? 'alive' : 'dead';
}

let mark: string | undefined;

/** What this process is known by. It never changes, and some systems take a while to tell. */
function ownMark(): string {
  if (mark !== undefined) return mark;
  const { host, bootId, pidNamespace, pid, startedAt } = currentProcess();
  const start = startedAt === '' ? NOT_TOLD : shortHash(startedAt);
  mark = `${pid}-${shortHash([host, bootId, pidNamespace].join('\n'))}-${start}`;
  return mark;
}

/** In place of a start where the system does not tell. */
const NOT_TOLD = '00000000';

function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, NOT_TOLD.length);
}
