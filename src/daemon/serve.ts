import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { filesInPlace } from '../app/doctor/files-in-place.ts';
import type { Home } from '../app/home.ts';
import { refuseForeign } from '../app/refusals/refuse-foreign.ts';
import { refuseSharedHome } from '../app/refusals/refuse-shared-home.ts';
import { holdServeLock } from '../app/serve-lock.ts';
import { stopOnSignals } from '../app/stop-on-signals.ts';
import { errorText } from '../core/error-text.ts';
import { Failure } from '../core/failure.ts';
import { firstSignal } from '../core/first-signal.ts';
import { ignoreAbort } from '../core/ignore-abort.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { CertificateFiles } from '../http/server/certificate.ts';
import type { Address } from '../http/server/listen.ts';
import { startServer } from '../http/server/start-server.ts';
import { Daemon } from './daemon.ts';
import { createManagerTeller, type ManagerTeller } from './tell-manager.ts';
import { readOrMakeToken, tokenPath } from './token.ts';

export interface ServeParts {
  readonly home: Home;
  readonly clock: Clock;
  /** Where the other homes of this person are; none of them is looked after when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly address: Address;
  /** Speaks TLS with this certificate. */
  readonly tls?: CertificateFiles | undefined;
  /** Where the files of the page are. */
  readonly pageFolder?: string | undefined;
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
 * flight are answered and runs have ended; the caller closes the home. A chore that fails is tried again; what takes the home away
 * from under it ends all of it at once, and is thrown.
 */
export async function serve(parts: ServeParts): Promise<void> {
  const { home, clock, env, address, tls, pageFolder, say, onReady, signal } = parts;
  refuseForeign(home);
  refuseSharedHome(home.path);
  using _lock = await holdServeLock(home.path);
  using stop = stopOnSignals(signal);
  const manager = createManagerTeller(process.env, () => performance.now());
  const token = readOrMakeToken(home.path);
  const daemon = new Daemon({ home, clock, say, ...(env !== undefined && { env }) });
  await daemon.recover();
  const server = await startServer({ home, clock, token, tls, pageFolder, say, chores: () => daemon.chores }, address);
  daemon.add({ name: 'sessions that nobody uses', everyMs: MINUTE_MS, act: () => server.releaseIdle() });
  daemon.add({ name: 'the audit log', everyMs: MINUTE_MS, act: () => server.flushAudit() });
  const renew = async () => tell(server.renewCertificate(), say);
  if (tls !== undefined) daemon.add({ name: 'the certificate', everyMs: 10 * SECOND_MS, act: renew });
  const chores = work({ daemon, refuseToGoOn: createRefusal(home), manager, signal: stop.signal });
  manager.ready();
  onReady({ url: server.url, tokenPath: tokenPath(home.path) });
  try {
    await Promise.race([chores, stopped(stop.signal)]);
    say('Stopping.');
    manager.stopping();
    await Promise.all([server.stop(), daemon.stop(), chores]);
  } catch (error) {
    say(`This cannot go on: ${errorText(error)}`);
    // Nobody gets another answer out of a home that is gone.
    await Promise.allSettled([server.stop(0), daemon.stop()]);
    throw error;
  }
}

function tell(said: string | undefined, say: (line: string) => void): void {
  if (said !== undefined) say(said);
}

/** Throws when there is no home left to work on. */
function createRefusal(home: Home): () => void {
  const refuseIfMoved = filesInPlace(home.path);
  return () => {
    if (!home.isOpen) throw new Failure('failed', 'The home was closed while it was served.', { hint: START_AGAIN });
    refuseIfMoved();
  };
}

const START_AGAIN = 'Start it again with: coppice serve';

interface Workers {
  readonly daemon: Daemon;
  readonly refuseToGoOn: () => void;
  readonly manager: ManagerTeller;
  readonly signal: AbortSignal;
}

async function work({ daemon, refuseToGoOn, manager, signal }: Workers): Promise<void> {
  const steps = new Set<Promise<void>>();
  const broken = new AbortController();
  using over = firstSignal(signal, broken.signal);
  while (!signal.aborted) {
    refuseToGoOn();
    manager.alive();
    // Not waited for: an address that does not answer, or a long maintenance, must not hold up what runs by the clock.
    const step = daemon.step().finally(() => steps.delete(step));
    steps.add(step);
    // A chore that fails does not come here; whatever does is a fault of the daemon itself.
    step.catch((error: unknown) => broken.abort(error));
    await setTimeout(STEP_MS, undefined, { signal: over.signal }).catch(ignoreAbort(over.signal));
    broken.signal.throwIfAborted();
  }
  await Promise.all(steps);
}

async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
