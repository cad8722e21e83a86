import type { ServerOptions } from 'node:http';
import { type BearerFinder, createBearerFinder } from '../../app/access/find-bearer.ts';
import { createPageKey } from '../../app/access/page-key.ts';
import type { Home } from '../../app/home.ts';
import { errorText } from '../../core/error-text.ts';
import { type Clock, SECOND_MS } from '../../core/time.ts';
import { pageRoutes } from '../page/page-files.ts';
import { SignIns } from '../page/sign-ins.ts';
import { EventClients } from '../resources/event-clients.ts';
import { MessageNews } from '../resources/message-news.ts';
import { Metrics } from '../resources/metrics.ts';
import { type ChoreHealth, createReadiness } from '../resources/readiness.ts';
import { watchSessions } from '../resources/session-watch.ts';
import type { CertificateFiles } from './certificate.ts';
import { createAdmission } from './create-admission.ts';
import { createRateLimit, type Rate } from './create-rate-limit.ts';
import { createRequestHandler } from './create-request-handler.ts';
import { createWebServer, type WebServer } from './create-web-server.ts';
import type { Door } from './let-in.ts';
import { type Address, listen } from './listen.ts';
import { OpenSessions } from './open-sessions.ts';
import { RepeatedRequests } from './repeated-requests.ts';
import { Strangers } from './strangers.ts';

export interface ServerParts {
  readonly home: Home;
  readonly clock: Clock;
  /** The owner's token, which has all scopes. Others are looked for in the home. */
  readonly token: string;
  /** Speaks TLS with this certificate. */
  readonly tls?: CertificateFiles | undefined;
  /** Where the files of the page are; it is not served when absent. */
  readonly pageFolder?: string | undefined;
  /** One line for the log. */
  readonly say: (line: string) => void;
  /** What one client may ask for; the defaults stop only what runs away. */
  readonly rate?: Rate;
  /** How the work by the clock goes, where there is any. */
  readonly chores?: () => readonly ChoreHealth[];
  /** How many connections may stand open over which no token came. */
  readonly mostStrangers?: number;
  /** How long a client may take to send a request. */
  readonly patienceMs?: number;
}

/** One plan costs as much as a thousand appends, so about fifty of them in a second are too many. */
const RATE: Rate = { burst: 50_000, perSecond: 50_000 };
const REFUSED_RATE: Rate = { burst: 50, perSecond: 10 };
const PATIENCE_MS = 60 * SECOND_MS;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 4096;
const MOST_STRANGERS = 1024;
/** How long requests in flight may take once the daemon is told to stop. */
const STOP_MS = 10 * SECOND_MS;
const SWEEP_MS = 20;

/** The HTTP API of one home. */
export interface HttpServer {
  /** Where it is to be found: a URL, or `unix:` and the path of a socket. */
  readonly url: string;
  /** Lets go of sessions that no client has used for a while, and of requests that nobody asks for again. */
  releaseIdle(): Promise<void>;
  /** Takes up a certificate that was replaced since. Returns what is to be said of it. */
  renewCertificate(): string | undefined;
  /** Writes down what was counted for the audit log. */
  flushAudit(): Promise<void>;
  /** Takes no more requests, lets those in flight end, and closes. What takes longer than this is cut off. */
  stop(withinMs?: number): Promise<void>;
}

/** Serves a home. The server must be stopped before the home is closed. */
export async function startServer(parts: ServerParts, address: Address): Promise<HttpServer> {
  const { home, clock } = parts;
  const metrics = new Metrics();
  const news = new MessageNews(home.gateway);
  const sessions = new OpenSessions(home.sessions, clock);
  const watch = { sessions: home.sessions, gateway: home.gateway, clock, isTold: sessions.isTold, say: parts.say };
  const events = new EventClients(home.gateway, { whileFollowed: () => watchSessions(watch) });
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();
  const strangers = new Strangers(parts.mostStrangers ?? MOST_STRANGERS);
  const chores = parts.chores ?? (() => []);
  const readiness = createReadiness({ home, clock, chores });
  const repeats = new RepeatedRequests(home.requests);
  const web = createWebServer({
    options: patience(parts.patienceMs ?? PATIENCE_MS),
    onRequest: (request, response) => {
      const work = handle(request, response).then(() => void working.delete(work));
      working.add(work);
    },
    onConnection: (socket) => strangers.arrived(socket),
    tls: parts.tls,
    clock,
  });
  const bearers = createBearerFinder({ homePath: home.path, token: parts.token, clock });
  const signIns = new SignIns({ key: createPageKey(home.path), bearers, clock, secure: parts.tls !== undefined });
  const handle = createRequestHandler(
    { home, clock, events, news, sessions, metrics, repeats, signIns, chores, readiness, signal: stopping.signal },
    {
      ...createDoor(parts, address, { ...bearers, signIns, isFor: web.isFor }),
      met: (socket) => strangers.met(socket),
      signal: stopping.signal,
    },
    parts.pageFolder === undefined ? [] : pageRoutes(parts.pageFolder),
  );
  // Opens what lies behind the gateway, so that nobody who follows its events waits for that.
  await home.gateway.spend('day');
  const { server } = web;
  server.maxConnections = MAX_CONNECTIONS;
  const { url } = await listen(server, address);
  return {
    url,
    async releaseIdle() {
      await sessions.releaseIdle();
      await home.requests.dropOld();
    },
    flushAudit: () => home.audit.flush(),
    renewCertificate: () => web.renew(),
    async stop(withinMs = STOP_MS) {
      stopping.abort();
      events.end();
      await closed(server, { metrics, withinMs });
      // What goes on for clients that are gone was told to stop as well.
      await Promise.all(working);
      await flushAtLast(parts);
    },
  };
}

/** Takes no more connections and lets those with a request in flight end, for so long. */
async function closed(server: WebServer['server'], { metrics, withinMs }: { metrics: Metrics; withinMs: number }) {
  const isClosed = new Promise((resolve) => server.close(resolve));
  // Connections without a request in flight have nothing to wait for, and nothing tells when one becomes so.
  const sweep = setInterval(() => metrics.inFlight === 0 && server.closeAllConnections(), SWEEP_MS);
  const late = setTimeout(() => server.closeAllConnections(), withinMs);
  await isClosed;
  clearInterval(sweep);
  clearTimeout(late);
}

/** A home that is gone takes nothing any more, and that is said where it is noticed. */
async function flushAtLast({ home, say }: ServerParts): Promise<void> {
  if (!home.isOpen) return;
  await home.audit.flush().catch((error: unknown) => say(`The audit log lacks its last minute: ${errorText(error)}`));
}

/** Whom the door knows, and by what names it is called. */
interface Known extends Pick<BearerFinder, 'find'> {
  readonly signIns: SignIns;
  readonly isFor: (name: string) => boolean;
}

function createDoor(
  { clock, rate = RATE, say }: ServerParts,
  address: Address,
  { find, signIns, isFor }: Known,
): Omit<Door, 'met' | 'signal'> {
  const names = 'socket' in address ? { anyHost: true } : { host: address.host };
  return {
    admit: createAdmission({ find, findSignedIn: (headers) => signIns.find(headers), isFor, ...names }),
    rate: createRateLimit(rate, clock),
    refusedRate: createRateLimit(REFUSED_RATE, clock),
    limit: rate.burst,
    say,
  };
}

/** How long a client may take, and how much it may send before anything else is looked at. */
function patience(requestTimeout: number): ServerOptions {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout,
    headersTimeout: Math.ceil(requestTimeout / 2),
    connectionsCheckingInterval: Math.ceil(requestTimeout / 10),
    keepAliveTimeout: requestTimeout,
  };
}
