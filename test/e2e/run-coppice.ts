import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll } from 'vitest';
import { REMOVAL_LIMIT_MS } from '../support/temp-dir.ts';

export const BIN = resolve(import.meta.dirname, '../../bin/coppice.js');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another user to run as; only root may choose one. */
  readonly uid?: number;
  readonly gid?: number;
}

/** A directory for a whole test file, gone when its tests are. */
export function sandbox(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-e2e-')));
  afterAll(() => rmSync(path, { recursive: true, force: true }), REMOVAL_LIMIT_MS);
  return path;
}

/** Runs the built command line as a person would, on this home and nothing else of the machine. */
export async function coppice(home: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = start(home, args, options);
  child.stdin.end();
  return finished(child);
}

/** Starts it and leaves it running. */
export function start(home: string, args: readonly string[], { cwd, env, ...user }: RunOptions = {}) {
  return spawn(process.execPath, [BIN, ...args], {
    cwd: cwd ?? resolve(home, '..'),
    env: { PATH: process.env['PATH'], TZ: 'UTC', HOME: resolve(home, '..'), COPPICE_HOME: home, ...env },
    ...user,
  });
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  return { code, stdout, stderr };
}

/** The one document that a command printed for programs. Fails when there was anything else. */
export async function coppiceJson<T>(home: string, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await coppice(home, ['--json', ...args]);
  if (code !== 0 || stderr !== '') throw new Error(`exit ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
