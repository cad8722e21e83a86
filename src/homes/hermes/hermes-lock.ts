import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, ftruncateSync, writeFileSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { SECOND_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { openRegular } from '../../platform/files/open-regular.ts';
import { findProcess } from '../../platform/machine/find-process.ts';
import { wait } from '../../platform/machine/wait.ts';

/**
 * Works under a lock file of Hermes, waiting a while for it. Gives a sentence instead when it cannot be had: `busy` says what
 * Hermes is at when it has it itself.
 */
export async function withHermesLock<T extends object | number>(
  path: string,
  busy: string,
  work: () => Promise<T | string>,
): Promise<T | string> {
  const lock = await takeHermesLock(path, WAIT_MS);
  if (lock === 'held') return `${busy} Try again in a minute.`;
  if (lock === 'not-possible')
    return 'The lock of Hermes cannot be taken here. Install the program flock, then try again.';
  await using _lock = lock;
  return await work();
}

const WAIT_MS = 10 * SECOND_MS;

/** Somebody else has it, or nothing on this machine can take it. */
export type LockObstacle = 'held' | 'not-possible';

/**
 * Takes a lock file of Hermes the way Hermes does, waiting a while for it. Node cannot ask the kernel for such a lock, so a small
 * program of the system holds it until its input ends, which it does when this process ends, however that happens.
 */
export async function takeHermesLock(path: string, waitMs: number): Promise<AsyncDisposable | LockObstacle> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const taken = await tryHolders(path);
    if (taken !== 'held' || performance.now() >= deadline) return taken;
    await wait(RETRY_MS);
  }
}

const RETRY_MS = 200;

/** The first is on every Linux, the second on macOS. Each echoes what it is told once it has the lock, or ends with 1. */
const HOLDERS: readonly ((path: string) => readonly [program: string, ...args: string[]])[] = [
  (path) => ['flock', '-n', path, 'cat'],
  (path) => ['perl', '-e', PERL, path],
];

const PERL =
  'use Fcntl ":flock"; open(my $f, ">>", $ARGV[0]) or exit 2; flock($f, LOCK_EX | LOCK_NB) or exit 1; $| = 1; print while <STDIN>;';

const HELD_CODE = 1;

async function tryHolders(path: string): Promise<AsyncDisposable | LockObstacle> {
  for (const holder of HOLDERS) {
    const taken = await tryHolder(holder(path));
    if (taken === 'not-possible') continue;
    if (taken !== 'held') await noteHolder(path, taken);
    return taken;
  }
  return 'not-possible';
}

async function tryHolder([program, ...args]: readonly [string, ...string[]]): Promise<AsyncDisposable | LockObstacle> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = once(child, 'close').catch(() => [undefined]) as Promise<[number | null | undefined]>;
  // A program that does not start tells by the other events.
  child.stdin.on('error', () => undefined);
  child.stdin.write('held\n');
  const ended = closed.then(([code]) => code);
  const said = once(child.stdout, 'data').then(() => 'held' as const);
  // Output that fails leaves it to the end of the program to say whether it had the lock.
  const first = await Promise.race([said, ended]).catch(() => ended);
  if (first !== 'held') return first === HELD_CODE ? 'held' : 'not-possible';
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await closed;
    },
  };
}

/** Says who holds it, as Hermes does: it takes a lock away from a holder that it knows to be dead. */
async function noteHolder(path: string, lock: AsyncDisposable): Promise<void> {
  const ticks = Number(findProcess(process.pid)?.startedAt);
  const holder = {
    pid: process.pid,
    start_ticks: Number.isInteger(ticks) ? ticks : null,
    acquired_at: Date.now() / 1000,
  };
  try {
    writeOver(path, JSON.stringify(holder));
  } catch (error) {
    // The lock counts, not what is written in it.
    if (errorCode(error) !== undefined || error instanceof Failure) return;
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** Only where the lock is a file of the home alone: one that is a link, or has another name, is somebody's as well. */
function writeOver(path: string, text: string): void {
  const handle = openRegular(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    if (fstatSync(handle).nlink > 1) return;
    ftruncateSync(handle);
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}
