import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorText } from '../../core/error-text.ts';
import { type CallDesk, meteredCall } from './metered-call.ts';
import { isPaid, type ModelApi, refusalOf } from './model-api.ts';
import { createSender } from './send-upstream.ts';

/** A place where an agent reaches a model through the meter. */
export interface MeterRoute {
  readonly api: ModelApi;
  /** Where its calls went before: the address that the agent was configured with. */
  readonly upstream: string;
}

export interface MeterProxy extends AsyncDisposable {
  /** The address to give to the agent instead. */
  base(route: MeterRoute): string;
}

/**
 * A proxy between an agent and its models, on this machine only and behind a secret in its path: what goes through is counted. Bodies
 * pass unchanged and unkept, piece by piece, and credentials pass with them.
 */
export async function startMeterProxy(desk: CallDesk): Promise<MeterProxy> {
  const secret = randomBytes(24).toString('base64url');
  const routes: MeterRoute[] = [];
  const sender = createSender();
  const server = createServer((request, response) => {
    const found = routeOf(request, { secret, routes });
    if (found === undefined) return answer(response, 404, '{}');
    const { route, rest } = found;
    const call = { request, response, url: joined(route.upstream, rest), api: route.api, sender };
    const done = isPaid(request.method, rest) ? meteredCall(call, desk) : sender.pass(call);
    done.catch((error: unknown) => fail(response, route.api, error));
  });
  // A conversation over a WebSocket cannot be counted call by call. Refused, agents fall back to requests.
  server.on('upgrade', (_request, socket: Socket) => {
    socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: (route) => `http://127.0.0.1:${port}/${secret}/${routes.push(route) - 1}`,
    async [Symbol.asyncDispose]() {
      sender.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function routeOf(
  { url = '' }: IncomingMessage,
  { secret, routes }: { readonly secret: string; readonly routes: readonly MeterRoute[] },
): { readonly route: MeterRoute; readonly rest: string } | undefined {
  // A path or a query comes after the number: anything else would be read as a part of the model's address.
  const [, given, number = '', rest = ''] = /^\/([^/]+)\/(\d+)((?:[/?].*)?)$/.exec(url) ?? [];
  const route = given === secret ? routes[Number(number)] : undefined;
  return route && { route, rest };
}

function joined(upstream: string, rest: string): URL {
  return new URL(`${upstream.replace(/\/+$/, '')}${rest === '' ? '/' : rest}`);
}

/** The model could not be reached, or broke off: the agent is told as if it had asked by itself. */
function fail(response: ServerResponse, api: ModelApi, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else answer(response, 502, refusalOf(api, `The model could not be reached: ${errorText(error)}`).body);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}
