import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../core/failure.ts';
import { temporaryFolder } from '../leftovers/temporary-folder.ts';

/** The two ends of a pipe of the operating system. Whoever opens one closes both. */
export interface Pipe {
  readonly readFd: number;
  readonly writeFd: number;
}

/**
 * Opens pipes that a child can be given to write to. Node's own are sockets, which are slower, and which a script cannot open by name:
 * under them `echo problem > /dev/stderr` fails.
 */
export function openPipes(count: number): Promise<readonly Pipe[]> {
  return openFifos(count, openPipe);
}

/** Opens pipes that a child can be given to read from: for the child a read waits, and for this process no write does. */
export function openInputPipes(count: number): Promise<readonly Pipe[]> {
  return openFifos(count, openInputPipe);
}

/** Closes both ends, for when there is nobody to give them to. */
function closePipe({ readFd, writeFd }: Pipe): void {
  closeSync(readFd);
  closeSync(writeFd);
}

async function openFifos(count: number, open: (path: string) => Pipe): Promise<readonly Pipe[]> {
  // An open pipe needs no name, so the folder goes at once.
  using folder = temporaryFolder('coppice-pipes');
  const names = Array.from({ length: count }, (_, index) => String(index));
  await makeFifos(names.map((name) => join(folder.path, name)));
  return openAll(
    names.map((name) => folder.at(name)),
    open,
  );
}

async function makeFifos(paths: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
  } catch (cause) {
    throw new Failure('failed', 'The pipes that a supervised run needs could not be made.', {
      hint: 'Supervised runs need Linux or macOS with the program mkfifo, and a temporary directory that can be written to.',
      cause,
    });
  }
}

function openAll(paths: readonly string[], open: (path: string) => Pipe): Pipe[] {
  const pipes: Pipe[] = [];
  try {
    for (const path of paths) pipes.push(open(path));
  } catch (error) {
    for (const pipe of pipes) closePipe(pipe);
    throw error;
  }
  return pipes;
}

/** The reading end comes first and does not wait for the writing end, which then finds its reader there. */
function openPipe(path: string): Pipe {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}

/** The first reading end is there only so that nothing waits while the two are opened. */
function openInputPipe(path: string): Pipe {
  const firstFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeFd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      return { readFd: openSync(path, constants.O_RDONLY), writeFd };
    } catch (error) {
      closeSync(writeFd);
      throw error;
    }
  } finally {
    closeSync(firstFd);
  }
}
