import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Home } from '../app/home.ts';
import type { Clock } from '../core/time.ts';
import type { EventClients } from './event-clients.ts';
import type { Metrics } from './metrics.ts';
import type { OpenSessions } from './open-sessions.ts';

/** What every resource works with. */
export interface HttpParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly sessions: OpenSessions;
  readonly events: EventClients;
  readonly metrics: Metrics;
  /** Aborted when the daemon stops: whatever takes long ends between two steps. */
  readonly signal: AbortSignal;
}

export interface Call<Query, Body> {
  readonly parts: HttpParts;
  /** What stands for `{id}` in the path, decoded; empty for a path without one. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
}

interface RouteFacts {
  readonly method: Method;
  /** `{id}` stands for one part of the path, whatever it holds. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Costs a client as much of its rate as this many light requests. */
  readonly cost?: number;
  /** Answered without a token and to any name of the host; it must not tell anything. */
  readonly open?: true;
}

export type Method = 'GET' | 'POST' | 'PATCH';

export interface JsonRouteSpec<Query extends z.ZodType, Body extends z.ZodType> extends RouteFacts {
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: z.ZodType;
  readonly status?: 200 | 201;
  readonly handle: (call: Call<z.output<Query>, z.output<Body>>) => Promise<object> | object;
}

/** A route that answers with one JSON document. */
export type JsonRoute = JsonRouteSpec<z.ZodType, z.ZodType>;

/** A route that writes its answer itself. */
export interface RawRoute extends RouteFacts {
  readonly contentType: string;
  readonly respond: (call: RawCall) => void | Promise<void>;
}

export interface RawCall {
  readonly parts: HttpParts;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Route = JsonRoute | RawRoute;

/** Ties what a request must be to what its handler gets. */
export function jsonRoute<
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(spec: JsonRouteSpec<Query, Body>): JsonRoute {
  return spec;
}
