import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Holder } from '../app/access/find-bearer.ts';
import type { Home } from '../app/home.ts';
import type { Scope } from '../core/access.ts';
import type { Once } from '../core/gateway/once.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Clock } from '../core/time.ts';
import type { SignIns } from './page/sign-ins.ts';
import type { EventClients } from './resources/event-clients.ts';
import type { MessageNews } from './resources/message-news.ts';
import type { Metrics } from './resources/metrics.ts';
import type { ChoreHealth, Readiness } from './resources/readiness.ts';
import type { OpenSessions } from './server/open-sessions.ts';
import type { Repeat, RepeatedRequests } from './server/repeated-requests.ts';

/** What every resource works with. */
export interface HttpParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly sessions: OpenSessions;
  readonly events: EventClients;
  readonly news: MessageNews;
  readonly metrics: Metrics;
  readonly repeats: RepeatedRequests;
  readonly signIns: SignIns;
  readonly chores: () => readonly ChoreHealth[];
  readonly readiness: () => Promise<Readiness>;
  /** Aborted when the daemon stops. */
  readonly signal: AbortSignal;
}

/** Who sends a request, and what belongs to it beside what is asked for. Few routes need to know. */
export interface Visit {
  /** Absent where no token is needed. */
  readonly holder: Holder | undefined;
  /** Empty where there is none. */
  readonly header: (name: string) => string;
  readonly setCookie: (cookie: string) => void;
}

export interface Call<Query, Body, Step = object> {
  readonly parts: HttpParts;
  readonly visit: Visit;
  /** What stands for `{id}` in the path, decoded; empty for a path without one. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The key that the request bears, for a route whose effect is noted with it. */
  readonly once?: Once | undefined;
  /** Says how far the work is, to a client that listens. Resolves when it is time to say more. */
  readonly tell: (step: Step) => Promise<void>;
  /** Whatever takes long ends between two steps when the daemon stops, or when the client of a slow route is gone. */
  readonly signal: AbortSignal;
}

interface RouteFacts {
  readonly method: Method;
  /** `{id}` stands for one part of the path, whatever it holds. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** What the token of a request must allow; `any` token will do, or none is needed. Without one it must not tell anything. */
  readonly scope: Scope | 'any' | 'none';
  /** Costs a client as much of its rate as this many light requests. */
  readonly cost?: number;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface JsonRouteFacts extends RouteFacts {
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** It may take long: this is what it tells meanwhile to a client that accepts lines. */
  readonly tells?: z.ZodType;
  readonly status?: 200 | 201;
  /** What becomes of a request whose key was seen before. */
  readonly repeat?: Repeat;
  /** Sent as it is, without the version of all documents: its form is not ours to choose. */
  readonly bare?: true;
}

/** What a route does with what it takes, and with the document that it answers with. */
interface Work<Query, Body, Step, Document extends object> {
  readonly handle: (call: Call<Query, Body, Step>) => Promise<Document> | Document;
  /** Where what was made can be found from now on. */
  readonly location?: (document: Document, id: string) => string;
  /** Another status for some documents, where the status itself is the answer. */
  readonly statusOf?: (document: Document) => number;
}

/** A route that answers with one JSON document. */
export type JsonRoute = JsonRouteFacts & Work<unknown, unknown, object, object>;

/** A route that writes its answer itself. */
export interface RawRouteSpec<Query extends z.ZodType> extends RouteFacts {
  readonly query?: Query;
  readonly contentType: string;
  readonly respond: (call: RawCall<z.output<Query>>) => void | Promise<void>;
}

export type RawRoute = RawRouteSpec<z.ZodType>;

export interface RawCall<Query = unknown> extends Pick<Call<Query, undefined>, 'parts' | 'id' | 'query'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Route = JsonRoute | RawRoute;

/** A route together with the types of what it takes and gives, which the client is made of. */
export type TypedRoute<Types extends RouteTypes> = JsonRoute & {
  /** Never there: it only carries the types. */
  readonly types?: Types;
};

export interface RouteTypes {
  readonly operation: string;
  readonly query: unknown;
  readonly body: unknown;
  readonly answer: unknown;
  readonly step: unknown;
}

export function rawRoute<Query extends z.ZodType>(spec: RawRouteSpec<Query>): RawRoute {
  return spec;
}

/**
 * Ties what a request must be to what its handler gets, and what its handler gives to what a client is told: nothing less, and nothing
 * besides.
 */
export function jsonRoute<
  const M extends Method,
  const P extends `/${string}`,
  Answer extends z.ZodType,
  Document extends Sent<z.output<Answer>> & object,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
  Step extends z.ZodType = z.ZodType<never>,
>(
  spec: JsonRouteFacts & {
    readonly method: M;
    readonly path: P;
    readonly answer: Answer;
    readonly query?: Query;
    readonly body?: Body;
    readonly tells?: Step;
  } & Work<z.output<Query>, z.output<Body>, Sent<z.output<Step>>, Document> &
    NothingBesides<Stray<Document, z.output<Answer>>>,
): TypedRoute<{
  operation: `${M} ${P}`;
  query: z.input<Query>;
  body: z.input<Body>;
  answer: z.output<Answer>;
  step: z.output<Step>;
}> {
  return spec as unknown as JsonRoute;
}

/** A document as a handler makes it: nothing in it is changed any more. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Sent<T[K]> }
    : T;

/** The names in a document, inner ones too, that its answer does not describe. */
type Stray<Document, Answer> =
  IsAnything<Answer> extends true
    ? never
    : Document extends readonly (infer Item)[]
      ? Stray<Item, ItemOf<Answer>>
      : Document extends object
        ? {
            [K in keyof Document]-?: K extends KeysOf<Answer> ? Stray<Document[K], ValueOf<Answer, K>> : K;
          }[keyof Document]
        : never;

/** An answer of JSON values may hold any name. */
type IsAnything<Answer> = [JsonValue] extends [Answer] ? true : [JsonObject] extends [Answer] ? true : false;
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;
type KeysOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? Exclude<T[K], undefined> : never) : never;

/** What a route with a stray name would have to say, which none can: so the compiler names it. */
type NothingBesides<Names> = [Names] extends [never] ? unknown : { readonly notInAnswer: Names };
