import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { bundleWorker } from './bundle-worker.ts';

export interface WorkerRun {
  readonly home: string;
  readonly act: string;
  readonly now: number;
  /** A command to run it under, such as `strace` with its options. */
  readonly under?: readonly string[];
}

export interface WorkerEnd {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  /** What the worker said of its act; absent when it died first. */
  readonly said: { readonly skipped?: number; readonly failed?: string } | undefined;
  readonly stderr: string;
}

const SCRIPT = await bundleWorker('engine-worker.ts');

/** Carries out one act in a process of its own. */
export async function runEngineWorker({ home, act, now, under = [] }: WorkerRun): Promise<WorkerEnd> {
  const [command, ...args] = [...under, process.execPath, SCRIPT, home, act, String(now)];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  const [output, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  const said = output.endsWith('\n') ? (JSON.parse(output) as WorkerEnd['said']) : undefined;
  return { code, signal, said, stderr };
}
