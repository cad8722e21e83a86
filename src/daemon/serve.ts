import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Home } from '../app/home.ts';
import { refuseForeign } from '../app/refuse-foreign.ts';
import { holdServeLock } from '../app/serve-lock.ts';
import { stopOnSignals } from '../app/stop-on-signals.ts';
import { ignoreAbort } from '../core/ignore-abort.ts';
import { type Clock, SECOND_MS } from '../core/time.ts';
import type { Address } from '../http/listen.ts';
import { type HttpServer, startServer } from '../http/start-server.ts';
import { Daemon } from './daemon.ts';
import { readOrMakeToken, tokenPath } from './token.ts';

export interface ServeParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly address: Address;
  /** One line for the log. */
  readonly say: (line: string) => void;
  /** Told once, when it listens. */
  readonly onReady: (place: { readonly url: string; readonly tokenPath: string }) => void;
  /** Says stop, as do SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

const STEP_MS = SECOND_MS;

/**
 * Serves a home until it is told to stop: the HTTP API, and everything that is done by the clock. Resolves when requests in
 * flight are answered and runs have ended; the caller closes the home.
 */
export async function serve({ home, clock, address, say, onReady, signal }: ServeParts): Promise<void> {
  refuseForeign(home);
  using _lock = await holdServeLock(home.path);
  using stop = stopOnSignals(signal);
  const token = readOrMakeToken(home.path);
  const daemon = new Daemon({ home, clock, say });
  await daemon.recover();
  const server = await startServer({ home, clock, token, say }, address);
  onReady({ url: server.url, tokenPath: tokenPath(home.path) });
  const chores = work({ daemon, server, signal: stop.signal });
  await Promise.race([chores, stopped(stop.signal)]);
  say('Stopping.');
  await Promise.all([server.stop(), daemon.stop(), chores]);
}

interface Workers {
  readonly daemon: Daemon;
  readonly server: HttpServer;
  readonly signal: AbortSignal;
}

async function work({ daemon, server, signal }: Workers): Promise<void> {
  const steps = new Set<Promise<void>>();
  while (!signal.aborted) {
    // Not waited for: an address that does not answer, or a long maintenance, must not hold up what runs by the clock.
    const step = daemon.step().finally(() => steps.delete(step));
    steps.add(step);
    await server.releaseIdle();
    await setTimeout(STEP_MS, undefined, { signal }).catch(ignoreAbort(signal));
  }
  await Promise.all(steps);
}

async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
