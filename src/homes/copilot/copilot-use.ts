import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EpochMs, MINUTE_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { holdLock } from '../../platform/locks/hold-lock.ts';
import { findProcess } from '../../platform/machine/find-process.ts';

/**
 * Whether a running program has a session, by what it leaves in its folder: `inuse.PID.lock`, and in newer versions beside it
 * `inuse.PID.hold`, on which it has the kernel's lock for as long as it lives. A program that is killed leaves both behind.
 */
export function isOpenIn(folder: string): boolean {
  const marks = new Set(namesIn(folder).flatMap((name) => MARK.exec(name)?.[1] ?? []));
  return [...marks].some((pid) => isHeld(folder, pid));
}

/** Names of files by which a program says that it has a session. */
export const MARK = /^inuse\.(\d{1,10})\.(?:lock|hold)$/;

function isHeld(folder: string, pid: string): boolean {
  const hold = holdLock(join(folder, `inuse.${pid}.hold`));
  if (hold === 'held') return true;
  if (hold === 'absent' || hold === 'not-possible') return isRunning(Number(pid), markedAt(folder, pid));
  hold[Symbol.dispose]();
  return false;
}

/** A later process of the same number began after its mark was written. Clocks are set, so that a while counts as the same time. */
function isRunning(pid: number, writtenAt: EpochMs | undefined): boolean {
  const found = findProcess(pid);
  if (found === undefined) return false;
  const startedAt = process.platform === 'linux' ? startOf(found.startedAt) : undefined;
  return startedAt === undefined || writtenAt === undefined || startedAt <= writtenAt + SLACK_MS;
}

const SLACK_MS = 5 * MINUTE_MS;

function markedAt(folder: string, pid: string): EpochMs | undefined {
  return lstatSync(join(folder, `inuse.${pid}.lock`), { throwIfNoEntry: false })?.mtimeMs;
}

/** Linux counts the start of a process in hundredths of a second since the machine was started. */
function startOf(ticks: string): EpochMs | undefined {
  const [, bootSeconds] = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1')) ?? [];
  return bootSeconds === undefined || !/^\d+$/.test(ticks)
    ? undefined
    : Number(bootSeconds) * 1000 + Number(ticks) * 10;
}

/** What is gone is for others to find out; what cannot be read is not known to be free. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
