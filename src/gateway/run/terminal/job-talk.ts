import { closeSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { deferred } from '../../../core/deferred.ts';
import { readPieces } from '../../../platform/text/read-pieces.ts';
import { findProcess } from '../../../platform/machine/find-process.ts';
import { isStopped } from '../../../platform/machine/is-stopped.ts';
import type { ChildExit } from '../child.ts';
import { createLineSplitter } from '../output/line-splitter.ts';
import { startTimer } from '../start-timer.ts';

/** A command that a shell runs as the job of a terminal. */
export interface StartedJob {
  readonly pid: number;
  readonly startedAt: string;
  /** The path of its terminal. */
  readonly terminal: string;
}

/** What is said between the supervisor and the shell of `job-shell.ts`. */
export interface JobTalk {
  /** Rejects, with what was told instead, when the shell could not start it. */
  readonly started: Promise<StartedJob>;
  readonly exited: Promise<ChildExit>;
  /** The shell, and the terminal that was made for it, are needed no longer. */
  readonly release: () => void;
}

export interface JobTalkOptions {
  readonly tellsFd: number;
  readonly hearsFd: number;
  /** The job was stopped, as by Ctrl-Z. It goes on when this returns. */
  readonly onStopped: () => void;
}

const START_MS = 10_000;

export function createJobTalk({ tellsFd, hearsFd, onStopped }: JobTalkOptions): JobTalk {
  const said: string[] = [];
  let job: StartedJob | undefined;
  let hearing = true;
  const start = deferred<StartedJob>();
  const exit = deferred<ChildExit>();
  const giveUp = startTimer(START_MS, () => start.reject(new Error('it did not begin in time')));

  const release = (): void => {
    if (hearing) closeSync(hearsFd);
    hearing = false;
  };
  const onStatus = (status: number): void => {
    if (job === undefined) return;
    // Stopped, or going on again by somebody else's doing: it has not ended.
    const isThere = findProcess(job.pid)?.startedAt === job.startedAt;
    if (!isThere) return exit.resolve(exitOf(status));
    if (isStopped(job.pid)) onStopped();
    if (hearing) writeSync(hearsFd, 'fg\n');
  };
  const take = (line: string): void => {
    const [word, first = '', terminal = ''] = line.split(' ');
    if (word === 'started' && job === undefined) {
      const pid = Number(first);
      job = { pid, startedAt: findProcess(pid)?.startedAt ?? '', terminal };
      giveUp();
      start.resolve(job);
    } else if (word === 'status' && job !== undefined) onStatus(Number(first));
    else if (said.length < MOST_SAID && line.trim() !== '') said.push(line.trim());
  };
  const splitter = createLineSplitter();
  const takePiece = (piece: Buffer): undefined => {
    for (const { bytes } of splitter.lines(piece)) take(bytes.toString());
  };
  const over = (): void => {
    giveUp();
    start.reject(new Error(said[0] ?? 'it ended at once'));
    // The terminal was closed from under it.
    exit.resolve({ code: null, signal: 'SIGHUP' });
  };
  void readPieces(tellsFd, takePiece).then(over, over);
  return { started: start.promise, exited: exit.promise, release };
}

/** Of what is no word of the shell this many lines are kept: the first says why no terminal could be made. */
const MOST_SAID = 10;

/** A shell tells of a signal by 128 and its number, and cannot be told from a command that exits with that itself. */
function exitOf(status: number): ChildExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
  return signal === undefined ? { code: status, signal: null } : { code: null, signal: signal as NodeJS.Signals };
}
