import { closeSync, constants, openSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { firstSignal } from '../../core/first-signal.ts';
import { SECOND_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type GitAnswer, type GitOptions, type GitPlace, runGit } from '../../platform/git/run-git.ts';
import { wait } from '../../platform/machine/wait.ts';
import { findPipes } from './find-pipes.ts';

/** Where git opens files of a project. */
export interface FilesPlace extends GitPlace {
  readonly workTree: string;
}

export interface FilesAnswer extends GitAnswer {
  /** Pipes that git stopped at. They count as empty. */
  readonly pipes: readonly string[];
}

/**
 * Runs a git command that opens files of a project by names of its own. It opens a pipe of such a name too, and would wait for
 * ever. So once a command takes long, the project is searched for them, and each is closed from its other end for as long as
 * the command lasts. One that another program holds open cannot be closed, and is refused. Quick commands cost nothing more.
 */
export async function runGitOverFiles(
  place: FilesPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<FilesAnswer> {
  const ended = new AbortController();
  const hopeless = new AbortController();
  const passing = letPipesPass(place.workTree, ended.signal).catch((error: unknown) => {
    hopeless.abort(error);
    return [];
  });
  using first = firstSignal(hopeless.signal, options.signal);
  try {
    const answer = await runGit(place, args, { ...options, signal: first.signal });
    ended.abort();
    return { ...answer, pipes: await passing };
  } catch (error) {
    hopeless.signal.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
    await passing;
  }
}

const PATIENCE_MS = SECOND_MS;
const STEP_MS = 5;
/** They may come and go, so after so many steps they are searched for again. */
const STEPS_PER_SEARCH = 1000;
/** A pipe that is waited at in so many steps on end is held open by somebody else. */
const STEPS_UNTIL_HELD = 300;

/** Goes on until the signal says that git has ended. Returns the pipes at which it waited. */
async function letPipesPass(workdir: string, signal: AbortSignal): Promise<readonly string[]> {
  const passed = new Set<string>();
  const stepsAt = new Map<Buffer, number>();
  const letPass = (pipe: Buffer) => {
    const steps = closeFromOtherEnd(pipe) ? (stepsAt.get(pipe) ?? 0) + 1 : 0;
    stepsAt.set(pipe, steps);
    if (steps > 0) passed.add(nameOf(pipe, workdir));
    if (steps > STEPS_UNTIL_HELD) throw heldOpen(pipe);
  };
  let pipes: readonly Buffer[] = [];
  try {
    for (let step = 0; ; step += 1) {
      await wait(pipes.length === 0 ? PATIENCE_MS : STEP_MS, signal);
      if (step % STEPS_PER_SEARCH === 0) pipes = await findPipes(workdir, signal);
      for (const pipe of pipes) letPass(pipe);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return [...passed];
  }
}

/** Whoever waits for somebody to write to a pipe finds it empty. False when nobody waits. */
function closeFromOtherEnd(pipe: Buffer): boolean {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Below the project where it is there. */
function nameOf(pipe: Buffer, workdir: string): string {
  const path = pipe.toString();
  return path.startsWith(`${workdir}/`) ? path.slice(workdir.length + 1) : path;
}

function heldOpen(pipe: Buffer): Failure {
  return new Failure('refused', `${pipe.toString()} is a pipe that another program holds open: git would wait there.`, {
    hint: 'Nothing was saved. End that program or remove the pipe, then try again.',
  });
}
