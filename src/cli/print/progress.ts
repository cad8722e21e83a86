import { SECOND_MS } from '../../core/time.ts';
import { truncate } from './display-width.ts';
import { formatBytes, formatCount, formatDuration } from './format.ts';
import type { Io } from '../io.ts';
import { safeText } from './safe-text.ts';

export interface Progress extends Disposable {
  update(state: ProgressState): void;
  /** Takes the line away. */
  done(): void;
}

export interface ProgressState {
  readonly done: number;
  /** Replaces the total given at the start. */
  readonly total?: number;
  readonly bytes?: number;
}

const QUIET_MS = SECOND_MS;
const REDRAW_MS = 100;
const LOG_MS = 30 * SECOND_MS;
const CLEAR_LINE = '\r\x1b[2K';

/**
 * Shows on stderr how far a long piece of work has come, once it has taken a second: a line that rewrites itself on a
 * terminal, a line every 30 seconds elsewhere.
 */
export function startProgress(
  { err, clock }: Pick<Io, 'err' | 'clock'>,
  { label, total }: { readonly label: string; readonly total?: number },
): Progress {
  const startedAt = clock.now();
  let nextAt = startedAt + (err.isTerminal ? QUIET_MS : LOG_MS);
  let drawn = false;
  const done = () => {
    if (drawn) err.write(CLEAR_LINE);
    drawn = false;
  };
  return {
    update(state) {
      const now = clock.now();
      if (now < nextAt) return;
      nextAt = now + (err.isTerminal ? REDRAW_MS : LOG_MS);
      const text = `${safeText(label)}: ${describe({ total, ...state }, now - startedAt)}`;
      err.write(err.isTerminal ? `${CLEAR_LINE}${truncate(text, err.columns - 1)}` : `${text}\n`);
      drawn = err.isTerminal;
    },
    done,
    [Symbol.dispose]: done,
  };
}

type KnownState = Omit<ProgressState, 'total'> & { readonly total: number | undefined };

function describe({ done, total, bytes }: KnownState, elapsedMs: number): string {
  const perSecond = (amount: number) => (amount * SECOND_MS) / elapsedMs;
  const parts = [total === undefined ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`];
  if (bytes !== undefined) parts.push(formatBytes(bytes));
  parts.push(
    bytes === undefined ? `${formatCount(Math.round(perSecond(done)))}/s` : `${formatBytes(perSecond(bytes))}/s`,
  );
  // What the first few took says little about the others.
  if (total !== undefined && done >= Math.min(10, total / 10) && done < total)
    parts.push(`about ${formatDuration((elapsedMs / done) * (total - done))} left`);
  return parts.join(', ');
}
