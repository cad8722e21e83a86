import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readSnapshots } from '../../src/checkpoints/store/read-snapshots.ts';
import { incompleteOf } from '../../src/checkpoints/reclaim/reachable-objects.ts';
import { boundsStore } from './checkpoint-bounds.ts';
import { savedFiles } from './checkpoint-store.ts';

const SCRIPT = fileURLToPath(new URL('checkpoint-worker.js', import.meta.url));

export interface WorkerLine {
  readonly ready?: true;
  readonly taken?: string;
  readonly pruned?: number;
  readonly freedBytes?: number;
  readonly failed?: string;
}

export interface Worker {
  readonly child: ChildProcess;
  readonly lines: readonly WorkerLine[];
  readonly ready: Promise<unknown>;
  readonly ended: Promise<unknown>;
}

export interface WorkerRole {
  readonly role: 'write' | 'prune' | 'both' | 'bounded';
  readonly name: number;
  /** The step at which it kills itself. */
  readonly killAt?: number;
}

/** Starts a process that works on the checkpoints below `dir`. Everything it says is kept. */
export function startWorker(dir: string, { role, name, killAt }: WorkerRole): Worker {
  const args = [SCRIPT, role, join(dir, 'home'), join(dir, 'work'), String(name), String(killAt ?? Infinity)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: WorkerLine[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(JSON.parse(line) as WorkerLine));
  child.stdin.on('error', () => undefined);
  return { child, lines, ready: once(reader, 'line'), ended: once(child, 'close') };
}

/** What is wrong with what the store lists: parts that are missing, and files that are not what somebody wrote. */
export async function wrongInStore(dir: string, { contents }: { readonly contents: boolean }): Promise<string[]> {
  const store = await boundsStore(dir);
  const { checkpoints, problems } = await readSnapshots(store);
  const ids = checkpoints.map(({ id }) => id);
  const wrong = [...problems.map(({ message }) => message), ...(await incompleteOf(store.layout, ids))];
  for (const id of contents ? ids : []) {
    for (const [path, saved] of await savedFiles(store, id)) {
      const [sum = '', body = ''] = saved.slice('100644 '.length).split('\n');
      if (createHash('sha256').update(body).digest('hex') !== sum) wrong.push(`${id} ${path}`);
    }
  }
  return wrong;
}
