import { closeSync } from 'node:fs';
import { openInputPipes, openPipes } from '../../../platform/files/open-pipe.ts';

/** Reading and writing end, of which the child gets one. */
interface Ends {
  readonly ours: number;
  readonly child: number;
}

/** The pipes between the supervisor and a command in a terminal. Those that nobody took over are closed with it. */
export interface JobPipes extends Disposable {
  readonly events: Ends;
  /** What the shell of the job tells and hears. */
  readonly tells: Ends;
  readonly hears: Ends;
  /** What the terminal shows, and what is typed into it. */
  readonly shown: Ends;
  readonly typed: Ends;
  /** Standard error, where it is not the terminal. */
  readonly errors: Ends;
  /** The child has its ends: while this process had them too, the pipes would never end. */
  given(): void;
  /** Somebody else closes these. */
  taken(...ends: readonly Ends[]): void;
}

export async function openJobPipes(): Promise<JobPipes> {
  const outputs = (await openPipes(4)).map(({ readFd, writeFd }) => ({ ours: readFd, child: writeFd }));
  const inputs = (await openInputPipes(2)).map(({ readFd, writeFd }) => ({ ours: writeFd, child: readFd }));
  const [events = NONE, tells = NONE, shown = NONE, errors = NONE] = outputs;
  const [hears = NONE, typed = NONE] = inputs;
  const open = new Set([...outputs, ...inputs].flatMap(({ ours, child }) => [ours, child]));
  const close = (fd: number): void => void (open.delete(fd) && closeSync(fd));
  return {
    events,
    tells,
    hears,
    shown,
    typed,
    errors,
    given: () => [...outputs, ...inputs].forEach(({ child }) => close(child)),
    taken: (...ends) => ends.forEach(({ ours }) => open.delete(ours)),
    [Symbol.dispose]: () => [...open].forEach(close),
  };
}

const NONE: Ends = { ours: -1, child: -1 };
