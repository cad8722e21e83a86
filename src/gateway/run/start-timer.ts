import { performance } from 'node:perf_hooks';

/** A timer of the system fires at once when asked to wait longer than this. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls back once after that time, however long, by a clock that nobody can set. Returns what cancels it. */
export function startTimer(ms: number, then: () => void): () => void {
  const dueAt = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = dueAt - performance.now();
    timer = leftMs > LONGEST_MS ? setTimeout(arm, LONGEST_MS) : setTimeout(then, leftMs);
  };
  arm();
  return () => clearTimeout(timer);
}
