import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { firstSignal } from '../../../core/first-signal.ts';
import { ignoreAbort } from '../../../core/ignore-abort.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { readPieces } from '../../../platform/text/read-pieces.ts';
import { wait } from '../../../platform/machine/wait.ts';
import type { Taker } from './takers.ts';

export interface ChildPipe {
  readonly fd: number;
  readonly taker: Taker;
}

export interface PipeReading {
  /**
   * Once the child has ended: reads what is still in the pipes. An unknown process that keeps them open is not waited for when it
   * says nothing, and for as long as the grace when it does; nothing is after `killSignal`.
   */
  drain(options: { readonly graceMs: number; readonly killSignal?: AbortSignal | undefined }): Promise<void>;
}

/** How long an open pipe may be silent after everything that is known to write to it has ended. */
const SILENCE_MS = 500;
/** More pieces than a pipe can hold, at the largest size that a child can give it. */
const MOST_PIECES = 64;

/** Reads all pipes of a child to their ends. A full pipe makes the child wait, so memory stays bounded. */
export function readPipes(pipes: readonly ChildPipe[], fail: (error: unknown) => void): PipeReading {
  const closing = new AbortController();
  let pieces = 0;
  let busy = 0;

  const read = async ({ fd, taker }: ChildPipe): Promise<void> => {
    const take = (piece: Buffer): Promise<void> | undefined => {
      pieces += 1;
      const taken = taker.take(piece);
      if (taken === undefined) return undefined;
      busy += 1;
      return taken.finally(() => (busy -= 1));
    };
    try {
      await readPieces(fd, take, closing.signal);
    } catch (error) {
      // Whoever watched the output went away; the child finds its pipe closed, as it would without a supervisor.
      if (errorCode(error) !== 'EPIPE') fail(error);
    }
    await taker.end();
  };
  const ended = new AbortController();
  const reading = Promise.all(pipes.map(read)).then(() => ended.abort());

  return {
    async drain({ graceMs, killSignal }) {
      using first = firstSignal(ended.signal, killSignal);
      const hurry = first.signal;
      const graceUntil = performance.now() + graceMs;
      const before = pieces;
      let seen = pieces;
      const silent = () => busy === 0 && pieces === seen;
      // Whoever watches may be slow to take what was there. What is still being written after that is not of this run.
      const strange = () => performance.now() > graceUntil && (busy === 0 || pieces > before + MOST_PIECES);
      do {
        seen = pieces;
        await wait(SILENCE_MS, hurry).catch(ignoreAbort(hurry));
        // On a busy machine the time may be over before anything was read, so the pipes get a last look.
        await setImmediate();
      } while (!hurry.aborted && !silent() && !strange());
      closing.abort();
      await reading;
    },
  };
}
