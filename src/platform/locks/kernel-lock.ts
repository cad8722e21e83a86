import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { wait } from '../machine/wait.ts';

/** Somebody else has it, or nothing on this machine can take it. */
export type LockObstacle = 'held' | 'not-possible';

/**
 * Takes the kernel's lock on a file, as other programs do with `flock`, waiting a while for it. Node cannot ask the kernel for such a
 * lock, so a small program of the system holds it until its input ends, which it does when this process ends, however that happens.
 */
export async function takeKernelLock(path: string, waitMs: number): Promise<AsyncDisposable | LockObstacle> {
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
    if (taken !== 'not-possible') return taken;
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
