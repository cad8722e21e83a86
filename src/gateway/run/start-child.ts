import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openPipes } from '../../platform/files/open-pipe.ts';
import { findProcess } from '../../platform/machine/find-process.ts';
import { currentProcess } from '../../platform/machine/process-identity.ts';
import type { Child, ChildExit, ChildOptions } from './child.ts';
import { childEnv } from './child-env.ts';
import { notStarted } from './not-started.ts';

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
