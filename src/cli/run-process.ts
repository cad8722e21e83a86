import { Failure, type FailureOptions, INTERRUPTED } from '../core/failure.ts';
import { type Host, type Io, processIo } from './io.ts';

/** How a service manager and a terminal that is closed say stop. Both may come, and more than once. */
const POLITE = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a main function inside a process and leaves its exit code there. The first Ctrl-C asks it to stop, the second
 * ends the process at once; whoever asks politely waits until it has ended what it was at. It never exits while output is on its way.
 */
export async function runProcess(host: Host, main: (argv: readonly string[], io: Io) => Promise<number>) {
  const stop = new AbortController();
  const io = processIo(host, stop.signal);
  let outputError: NodeJS.ErrnoException | undefined;
  host.on('SIGINT', () => (stop.signal.aborted ? host.exit(INTERRUPTED) : stop.abort()));
  for (const name of POLITE) host.on(name, () => stop.abort());
  host.stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputError ??= error;
    stop.abort();
  });
  // Without a reader for the talk there is nobody to tell about it.
  host.stderr.on('error', () => undefined);

  const exitCode = await main(host.argv.slice(2), io);
  if (outputError === undefined) await written(host.stdout);
  host.exitCode = outputError === undefined ? exitCode : await afterOutputError(outputError, exitCode, io);
}

/** Resolves when all that was written has left the process, or cannot leave it any more. */
function written(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}

/** A reader that has seen enough, such as `head`, is no failure; results that could not be written are. */
async function afterOutputError(error: NodeJS.ErrnoException, exitCode: number, io: Io): Promise<number> {
  if (error.code === 'EPIPE') return exitCode === INTERRUPTED ? 0 : exitCode;
  const { printFailure } = await import('./print-failure.ts');
  const options: FailureOptions = {
    hint: 'Check that there is room where the output goes, then run the command again.',
    cause: error,
  };
  return printFailure(io, new Failure('failed', `The output could not be written: ${error.message}.`, options));
}
