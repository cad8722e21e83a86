import { onTestFinished } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Address } from '../../src/http/server/listen.ts';
import { type HttpServer, type ServerParts, startServer } from '../../src/http/server/start-server.ts';
import { tempDir } from '../support/temp-dir.ts';

export const TOKEN = 'T'.repeat(43);

export interface Served {
  readonly home: Home;
  readonly server: HttpServer;
  readonly client: Client;
  readonly said: readonly string[];
  /** A request as any program could send it, with the token unless `headers` says otherwise. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

export interface ServeOptions
  extends Partial<
    Pick<ServerParts, 'rate' | 'patienceMs' | 'clock' | 'mostStrangers' | 'tls' | 'chores' | 'pageFolder'>
  > {
  /** A home that is there already. */
  readonly path?: string;
  readonly address?: Address;
  readonly settings?: readonly { readonly key: string; readonly value: string }[];
}

/** A home of its own behind a real server, gone when the test is. */
export async function serveHome({
  address,
  settings,
  path: place,
  clock = Date,
  ...parts
}: ServeOptions = {}): Promise<Served> {
  const home = await openHome({ path: place ?? `${tempDir()}/home`, settings: settings ?? [], clock });
  const said: string[] = [];
  const server = await startServer(
    { home, clock, token: TOKEN, say: (line) => void said.push(line), ...parts },
    address ?? { host: '127.0.0.1', port: 0 },
  );
  const client = createClient({ url: server.url, token: TOKEN });
  onTestFinished(async () => {
    client[Symbol.dispose]();
    await server.stop(1000);
    await home.close();
  });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
  return { home, server, client, said, ask };
}

/** A request with a JSON body. */
export function json(method: string, body: unknown): RequestInit {
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** A path of the description with something in the place of its id. */
export function withId(path: string, id: string): string {
  return path.replace('{id}', encodeURIComponent(id));
}

export interface Described {
  readonly method: string;
  readonly path: string;
  readonly open: boolean;
  readonly takesBody: boolean;
}

/** Every operation in the description that a server gives of itself. */
export async function describedRoutes({ ask }: Pick<Served, 'ask'>): Promise<readonly Described[]> {
  const document = (await (await ask('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { security?: unknown[]; requestBody?: object }>>;
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      open: security?.length === 0,
      takesBody: requestBody !== undefined,
    })),
  );
}
