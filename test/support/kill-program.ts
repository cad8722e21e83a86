import { type SpawnSyncReturns, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BIN } from '../e2e/run-coppice.ts';
import { strace } from './strace.ts';

/** Every system call by which a command changes a disk. */
const CALLS = ['rename', 'mkdir', 'unlink', 'rmdir', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'link', 'fchmod'];

/** One moment in the life of a command. */
export interface Moment {
  readonly call: string;
  readonly when: number;
}

/** Every moment at which the built program changes something while it carries out this line, call by call. */
export async function momentsOf(home: string, line: readonly string[]): Promise<readonly Moment[]> {
  const directory = mkdtempSync(join(tmpdir(), 'coppice-moments-'));
  try {
    const log = join(directory, 'calls.log');
    const { status, stderr } = await runUnder(strace({ calls: CALLS, log }), home, line);
    if (status !== 0) throw new Error(`${line.join(' ')} exits with ${String(status)}: ${stderr}`);
    return momentsIn(readFileSync(log, 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** strace counts for each thread, so a call that is made on several is met at most as often as on the busiest of them. */
function momentsIn(log: string): readonly Moment[] {
  const counts = new Map<string, number>();
  for (const [, thread, call] of log.matchAll(/^(\d+) +(\w+)\(/gm))
    counts.set(`${call} ${thread}`, (counts.get(`${call} ${thread}`) ?? 0) + 1);
  return CALLS.flatMap((call) => {
    const most = Math.max(0, ...[...counts].filter(([key]) => key.startsWith(`${call} `)).map(([, count]) => count));
    return Array.from({ length: most }, (_, index) => ({ call, when: index + 1 }));
  });
}

/** Has the system send a signal to the built program, or a git of it, when it is about to make this call. Tells how it ended. */
export async function signalAt(
  home: string,
  line: readonly string[],
  { call, when, signal }: Moment & { readonly signal: NodeJS.Signals },
): Promise<Ended & { readonly reached: boolean }> {
  const log = `${home}.${process.pid}.log`;
  try {
    const traced = strace({ calls: [call], log, inject: `${call}:signal=${signal}:when=${when}` });
    const ended = await runUnder(traced, home, line);
    return { ...ended, reached: readFileSync(log, 'utf8').includes(signal) };
  } finally {
    rmSync(log, { force: true });
  }
}

/** Runs the built program while the system refuses some of its calls, such as `rmdir:error=EROFS:when=1`. */
export function refusing(home: string, line: readonly string[], inject: string): Promise<Ended> {
  return runUnder(strace({ calls: inject.split(':', 1), inject }), home, line);
}

export type Ended = Pick<SpawnSyncReturns<string>, 'status' | 'signal' | 'stdout' | 'stderr'>;

function runUnder(under: readonly string[], home: string, line: readonly string[]): Promise<Ended> {
  const [command, ...options] = [...under, process.execPath, BIN, ...line, '--home', home];
  const env = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    HOME: resolve(home, '..'),
    // One thread for files, so that the same call is met each time.
    UV_THREADPOOL_SIZE: '1',
    UV_USE_IO_URING: '0',
  };
  const child = spawn(command, options, { cwd: resolve(home, '..'), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (status, signal) => done({ status, signal, stdout, stderr }));
  });
}
