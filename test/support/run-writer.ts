import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bundleWorker } from './bundle-worker.ts';
import type { WriterEvent } from './crash-checker.ts';

export interface WriterRun {
  readonly root: string;
  readonly seed: number;
  readonly steps: number;
  readonly bug?: string;
  /** A command to run it under, such as `strace` with its options. */
  readonly under?: readonly string[];
  /** Called with each thing the writer says, and the process to kill. */
  readonly onEvent?: (event: WriterEvent, child: ChildProcess) => void;
}

export interface WriterEnd {
  readonly events: readonly WriterEvent[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

const SCRIPT = await bundleWorker('crash-writer.js');

/** Runs the crash writer until it ends or is killed, and returns what it said. */
export async function runWriter({ root, seed, steps, bug, under = [], onEvent }: WriterRun): Promise<WriterEnd> {
  const writer = [process.execPath, SCRIPT, root, String(seed), String(steps), ...(bug === undefined ? [] : [bug])];
  const [command = '', ...args] = [...under, ...writer];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  const exited = new Promise<Pick<WriterEnd, 'code' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const events: WriterEvent[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const event = parseEvent(line);
    if (event === undefined) continue;
    events.push(event);
    onEvent?.(event, child);
  }
  return { events, stderr, ...(await exited) };
}

/** The last line may be cut short by the death of its writer, and then it was not said. */
function parseEvent(line: string): WriterEvent | undefined {
  try {
    return JSON.parse(line) as WriterEvent;
  } catch {
    return undefined;
  }
}
