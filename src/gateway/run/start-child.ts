import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import type { ProcessIdentity } from '../../core/session-store.ts';
import { errorCode } from '../../platform/error-code.ts';
import { findProcess } from '../../platform/find-process.ts';
import { openPipes } from '../../platform/open-pipe.ts';
import { currentProcess } from '../../platform/process-identity.ts';
import { ADVICE_VARIABLE } from './advice-file.ts';
import { RUNS_VARIABLE } from './run-record.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sessionId: string;
  readonly runId: string;
  /** What it puts into an event that it prints, so that nobody else's text can be one. */
  readonly nonce: string;
  readonly stdin: 'inherit' | 'ignore';
  /** The file in which it finds what it is advised. */
  readonly advice?: string | undefined;
}

/** A command that runs as the leader of its own process group. The numbers are the reading ends of its pipes. */
export interface Child {
  readonly identity: ProcessIdentity;
  readonly stdoutFd: number;
  readonly stderrFd: number;
  readonly eventsFd: number;
  readonly exited: Promise<ChildExit>;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Where the child finds its event channel. */
const EVENTS_FD = 3;

/** Starts the command, or throws a failure that says why it cannot be started. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const pipes = await openPipes(3);
  try {
    const { pid, exited } = await spawnChild(
      options,
      pipes.map(({ writeFd }) => writeFd),
    );
    const [stdoutFd = -1, stderrFd = -1, eventsFd = -1] = pipes.map(({ readFd }) => readFd);
    const identity = { ...currentProcess(), pid, startedAt: findProcess(pid)?.startedAt ?? '' };
    return { identity, stdoutFd, stderrFd, eventsFd, exited };
  } catch (error) {
    for (const { readFd } of pipes) closeSync(readFd);
    throw notStarted(options, error);
  } finally {
    // While this process had them open, the pipes would never end.
    for (const { writeFd } of pipes) closeSync(writeFd);
  }
}

async function spawnChild(
  options: ChildOptions,
  fds: readonly number[],
): Promise<{ pid: number; exited: Promise<ChildExit> }> {
  const { command, args, cwd, stdin } = options;
  const child = spawn(command, args, { cwd, env: childEnv(options), detached: true, stdio: [stdin, ...fds] });
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { pid: await started(child), exited };
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}

function childEnv({ env, sessionId, runId, nonce, advice }: ChildOptions): NodeJS.ProcessEnv {
  const runs = [env[RUNS_VARIABLE], runId].filter(Boolean).join(' ');
  const events = { COPPICE_EVENTS_FD: String(EVENTS_FD), COPPICE_EVENTS_NONCE: nonce };
  const own = { COPPICE_SESSION_ID: sessionId, ...events, [RUNS_VARIABLE]: runs };
  // Not the file of a run around this one: its advice is not for this agent.
  return { ...env, ...own, [ADVICE_VARIABLE]: advice };
}

function notStarted({ command, cwd }: ChildOptions, cause: unknown): Failure {
  if (!existsSync(cwd)) {
    const hint = 'Create it, or change to a directory that exists, and run the command again.';
    return new Failure('usage', `The directory ${cwd} does not exist, so no command can run in it.`, { hint, cause });
  }
  if (errorCode(cause) === 'ENOENT') {
    const hint = 'Check how it is spelled, or give its whole path, as in: coppice run -- /path/to/agent';
    return new Failure('usage', `There is no command ${command}.`, { hint, cause });
  }
  if (errorCode(cause) === 'EACCES') {
    const hint = `If it is a program, allow that it is run: chmod +x ${command}`;
    return new Failure('usage', `The file ${command} may not be run.`, { hint, cause });
  }
  const reason = errorText(cause);
  const hint = 'Run the command by itself to see whether it works there.';
  return new Failure('usage', `The command ${command} could not be started: ${reason}`, { hint, cause });
}
