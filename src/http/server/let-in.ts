import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Holder } from '../../app/access/find-bearer.ts';
import type { Bearer, Scope } from '../../core/access.ts';
import { SECOND_MS } from '../../core/time.ts';
import { type ErrorAnswer, refuse, STOPPING } from '../refusal.ts';
import type { Route } from '../route.ts';
import type { Admitted, createAdmission } from './create-admission.ts';
import type { createRateLimit } from './create-rate-limit.ts';

export interface Door {
  readonly admit: ReturnType<typeof createAdmission>;
  readonly rate: ReturnType<typeof createRateLimit>;
  /** For those who are turned away: far fewer, so that nobody tries tokens. */
  readonly refusedRate: ReturnType<typeof createRateLimit>;
  /** How many requests may come at once. */
  readonly limit: number;
  /** Told of a connection over which a token came. */
  readonly met: (socket: Socket) => void;
  readonly say: (line: string) => void;
  /** Aborted when the daemon stops. */
  readonly signal: AbortSignal;
}

export interface LetIn {
  /** Why the request goes no further. */
  readonly refused?: ErrorAnswer;
  /** Who sent it; absent where no token is needed, or none that is good came. */
  readonly holder?: Holder;
}

export interface Asked {
  readonly scope: Route['scope'];
  /** As much of the rate of its client as this many light requests. */
  readonly cost: number;
}

/** Decides whether a request goes on to its route: who sends it, how often, and whether that token may ask for this. */
export function letIn(door: Door, response: ServerResponse, { scope, cost }: Asked): LetIn {
  if (door.signal.aborted) return { refused: STOPPING };
  const request = response.req;
  const client = request.socket.remoteAddress ?? 'local';
  const admitted = scope === 'none' ? undefined : admit(door, response, client);
  if (admitted !== undefined && 'refused' in admitted) return admitted;
  const { allowed, remaining, waitMs } = door.rate(client, cost);
  response.setHeader('ratelimit-limit', door.limit);
  response.setHeader('ratelimit-remaining', remaining);
  response.setHeader('ratelimit-reset', Math.ceil(waitMs / SECOND_MS));
  if (!allowed) return { ...admitted, refused: tooMany(waitMs) };
  if (admitted === undefined) return {};
  const { bearer } = admitted.holder;
  if (scope === 'none' || scope === 'any' || bearer.scopes.includes(scope)) return admitted;
  response.setHeader('www-authenticate', `Bearer realm="coppice", error="insufficient_scope", scope="${scope}"`);
  return { ...admitted, refused: lacksScope(bearer, scope) };
}

function admit(door: Door, response: ServerResponse, client: string): Admitted {
  const request = response.req;
  const admitted = door.admit(request.headers);
  if ('holder' in admitted) {
    door.met(request.socket);
    if (admitted.setCookie !== undefined) response.setHeader('set-cookie', admitted.setCookie);
    return admitted;
  }
  const { allowed, waitMs } = door.refusedRate(client);
  return allowed ? admitted : { refused: tooMany(waitMs) };
}

function lacksScope({ name, scopes }: Bearer, scope: Scope): ErrorAnswer {
  return refuse(
    'forbidden',
    `The token ${name} may not do this: that needs the scope ${scope}, and it has ${scopes.join(', ') || 'none'}.`,
    'Use one that has it. On the machine of the home they are made with: coppice token create --help',
  );
}

function tooMany(waitMs: number): ErrorAnswer {
  const refused = refuse('too-many', 'Too many requests from this client.', 'Wait a moment, then go on more slowly.');
  return { ...refused, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) };
}
