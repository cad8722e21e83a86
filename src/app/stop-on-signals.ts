import { firstSignal } from '../core/first-signal.ts';

/** How a service manager and a terminal that is closed say stop. Ctrl-C is told by the given signal. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/** Aborted by the given signal or by whoever ends this process politely: for commands that have others to end before them. */
export function stopOnSignals(signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const name of SIGNALS) process.on(name, onSignal);
  const first = firstSignal(signal, stop.signal);
  return {
    signal: first.signal,
    [Symbol.dispose]() {
      for (const name of SIGNALS) process.off(name, onSignal);
      first[Symbol.dispose]();
    },
  };
}
