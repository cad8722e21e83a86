import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import { textOf } from '../../core/sessions/message-parts.ts';
import { errorCode } from '../../platform/error-code.ts';
import { findProcess } from '../../platform/machine/find-process.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';

/** Which sessions running programs have open, as those wrote it down: one file for each of them, with the number of its process. */
export interface ClaudeRegistry {
  /** Sessions that a process has, or may have. */
  readonly open: ReadonlySet<string>;
  /** Whether there is such a list at all. Earlier versions kept none. */
  readonly kept: boolean;
  /** What could not be read. Then nothing is certain about any session. */
  readonly problems: readonly Problem[];
  /** Processes that nobody here can look at. */
  readonly elsewhere: readonly Problem[];
}

export function readRegistry(home: string): ClaudeRegistry {
  const open = new Set<string>();
  const problems: Problem[] = [];
  const elsewhere: Problem[] = [];
  const names = look(problems, 'sessions', () => namesIn(join(home, 'sessions')));
  for (const name of names?.filter((each) => ENTRY.test(each)) ?? []) {
    const subject = `sessions/${name}`;
    const entry = look(problems, subject, () => readEntry(join(home, subject)));
    const state = entry === undefined ? 'ended' : stateOf(entry);
    if (entry === undefined || state === 'ended') continue;
    open.add(entry.sessionId);
    if (state === 'unknown') elsewhere.push(outOfSight(subject, entry.sessionId));
  }
  return { open, kept: names !== undefined, problems, elsewhere };
}

const ENTRY = /^\d+\.json$/;
const MAX_ENTRY_BYTES = 64 * 1024;

/** What a running program tells of itself. */
interface Entry {
  readonly pid: number;
  readonly sessionId: string;
  readonly procStart?: string;
  readonly pidDomain?: string;
}

/** Undefined where there is no such folder. */
function namesIn(path: string): string[] | undefined {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readEntry(path: string): Entry | undefined {
  let text: string;
  try {
    ({ text } = readSlice(path, { bytes: MAX_ENTRY_BYTES }));
  } catch (error) {
    // A program that has just ended took its file away.
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const fields: unknown = JSON.parse(text);
  const pid = isJsonObject(fields) ? fields['pid'] : undefined;
  const sessionId = isJsonObject(fields) ? textOf(fields['sessionId']) : undefined;
  if (!isJsonObject(fields) || typeof pid !== 'number' || !Number.isSafeInteger(pid) || sessionId === undefined)
    throw new Error('it names no process and session');
  const [procStart, pidDomain] = [textOf(fields['procStart']), textOf(fields['pidDomain'])];
  return {
    pid,
    sessionId,
    ...(procStart !== undefined && { procStart }),
    ...(pidDomain !== undefined && { pidDomain }),
  };
}

/** `ended` is only said on evidence: of a process of another machine or container its number here tells nothing. */
function stateOf({ pid, procStart = '', pidDomain }: Entry): 'running' | 'ended' | 'unknown' {
  if (pidDomain === undefined || pidDomain !== ownPidDomain()) return 'unknown';
  const found = findProcess(pid);
  if (found === undefined) return 'ended';
  const comparable = TICKS.test(procStart) && TICKS.test(found.startedAt);
  return comparable && procStart !== found.startedAt ? 'ended' : 'running';
}

/** How Linux counts the start of a process. What other systems tell is written in more than one way. */
const TICKS = /^\d+$/;

/**
 * What Claude Code calls the place in which the numbers of processes hold: the machine and, on it, the container. Undefined where it
 * is not known how it is called.
 */
export function ownPidDomain(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const machine = readFileSync('/etc/machine-id', 'latin1').trim();
    return machine === '' ? undefined : `linux:${machine}:${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Then no process can be told to be of this machine, and each counts as running.
    return undefined;
  }
}

function look<T>(problems: Problem[], subject: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push({
      kind: 'activity-unknown',
      subject,
      message: `${subject} cannot be understood, so which sessions are in use is not known: ${errorText(error)}.`,
      hint: `Nothing is removed until this can be read. When no Claude Code runs that it could be of, remove ${subject}.`,
    });
    return undefined;
  }
}

function outOfSight(subject: string, sessionId: string): Problem {
  return {
    kind: 'activity-elsewhere',
    subject,
    message: `${subject} names a process that cannot be looked at from here, so session ${sessionId} counts as in use.`,
    hint: `When the machine or container that it is of is gone, remove ${subject}.`,
  };
}
