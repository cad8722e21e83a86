import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TakeResult } from '../../src/core/retention/checkpoint.ts';

const SCRIPT = fileURLToPath(new URL('take-worker.js', import.meta.url));

export interface WorkerRun {
  readonly home: string;
  readonly workdir: string;
  readonly rounds?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** Ends the process with SIGKILL after this long. */
  readonly killAfterMs?: number;
}

/** Takes checkpoints in another process and returns what came of each. */
export async function runTakeWorker(run: WorkerRun): Promise<{ results: TakeResult[]; stderr: string }> {
  const { home, workdir, rounds = 1, env = {}, uid, killAfterMs } = run;
  const child = spawn(process.execPath, [SCRIPT, home, workdir, String(rounds)], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const killer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  clearTimeout(killer);
  const lines = stdout.split('\n').slice(0, -1);
  return { results: lines.map((line) => JSON.parse(line) as TakeResult), stderr };
}
