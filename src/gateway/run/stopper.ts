import { performance } from 'node:perf_hooks';
import { signalGroup } from '../../platform/machine/process-group.ts';
import type { RunCause } from './run-result.ts';
import { startTimer } from './start-timer.ts';

/** Brings a process group to its end: asks it, and kills it when the grace is over. */
export interface Stopper {
  /** The first cause counts; later ones, and any after the exit, change nothing. */
  stop(cause: RunCause): void;
  /** Kills at once. */
  kill(cause: RunCause): void;
  /** The command has exited: its number means nothing any more. Says why it ended and how much grace the rest has. */
  exited(): { readonly cause: RunCause; readonly graceMs: number; readonly groupAsked: boolean };
}

export interface StopperOptions {
  readonly graceMs: number;
  /** Told when the group is asked to end. */
  readonly onAsked?: (() => void) | undefined;
}

export function createStopper(group: number, { graceMs, onAsked }: StopperOptions): Stopper {
  let cause: RunCause | undefined;
  let cancelKill: (() => void) | undefined;
  let graceUntil: number | undefined;
  let over = false;

  const stop = (why: RunCause): void => {
    if (over || cause !== undefined) return;
    cause = why;
    graceUntil = performance.now() + graceMs;
    onAsked?.();
    signalGroup(group, 'SIGTERM');
    cancelKill = startTimer(graceMs, () => signalGroup(group, 'SIGKILL'));
  };
  return {
    stop,
    kill(why) {
      stop(why);
      if (!over) signalGroup(group, 'SIGKILL');
    },
    exited() {
      over = true;
      cancelKill?.();
      const leftMs = graceUntil === undefined ? graceMs : graceUntil - performance.now();
      return { cause: cause ?? { kind: 'exited' }, graceMs: Math.max(0, leftMs), groupAsked: cause !== undefined };
    },
  };
}
