/** How a service manager and a terminal that is closed say stop. Ctrl-C is told by the given signal. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/** Aborted by the given signal or by whoever ends this process politely: for commands that have others to end before them. */
export function stopOnSignals(signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    [Symbol.dispose]: () => SIGNALS.forEach((name) => process.off(name, onSignal)),
  };
}
