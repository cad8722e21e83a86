import { createConnection, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresServer } from '../../../test/support/postgres-server.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { kitClock } from '../../kit/kit-case.ts';
import { collect, user } from '../../kit/store/asking.ts';
import { openDatabase } from './database/open-database.ts';
import type { Without } from '../../../test/support/postgres-store.ts';
import { openPostgresStore } from './postgres-store.ts';

describe('a connection that breaks', () => {
  for (const [how, without] of Object.entries<Without>({
    'one statement': {},
    'a transaction': { oneStatement: true },
  })) {
    // The proxy cuts the n-th piece that goes to the server, before it arrives, or the answer to it, when the server has done it.
    for (const cut of ['request', 'answer'] as const) {
      it(`neither loses nor doubles what was said, by ${how}, wherever the ${cut} is cut`, async () => {
        const { store, proxy } = await storeBehindProxy(without);
        await store.create({ id: 's', source: 'cli' });
        const said: string[] = [];
        for (let piece = 1; piece <= 30; piece += 1) {
          const text = `message ${piece}`;
          proxy.cutAt(1 + (piece % 5), cut);
          const { lastSeq } = await store.append('s', [user(text)]);
          said.push(text);
          expect(lastSeq).toBe(said.length);
        }
        proxy.cutAt(0, cut);
        expect((await collect(store.messages('s'))).map(({ content }) => content)).toEqual(said);
        expect((await store.get('s'))?.messageCount).toBe(said.length);
        // The first piece there is, every fifth time.
        expect(proxy.cuts).toBeGreaterThanOrEqual(6);
      });
    }
  }

  it('is made up for by every kind of change', async () => {
    const { store, proxy } = await storeBehindProxy({});
    for (let piece = 0; piece < 8; piece += 1) {
      const id = `s${piece}`;
      proxy.cutAt(piece, 'answer');
      await store.create({ id, source: 'cli' });
      proxy.cutAt(piece, 'answer');
      await store.recordUsage(id, { model: 'm', inputTokens: 7 });
      proxy.cutAt(piece, 'answer');
      const { facts } = await store.routes.settle('key', () => ({
        kind: 'start',
        session: { id: `r${piece}`, source: 'cli' },
        endReason: 'reset',
      }));
      expect(facts.id).toBe(`r${piece}`);
      expect((await store.get(id))?.usage.inputTokens).toBe(7);
    }
    expect((await collect(store.list())).length).toBe(16);
    expect((await collect(store.check())).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('for longer than it is waited for is told in a sentence, without the password', async () => {
    const { store, proxy } = await storeBehindProxy({}, '&wait=1');
    await store.create({ id: 's', source: 'cli' });
    proxy.refuse();
    await expect(store.append('s', [user('x')])).rejects.toMatchObject({
      name: 'Failure',
      code: 'failed',
      message: expect.stringMatching(/^The server at .* could not be reached for 1 s/),
    });
    proxy.accept();
    await store.append('s', [user('y')]);
    expect((await collect(store.messages('s'))).map(({ content }) => content)).toEqual(['y']);
  });
});

async function storeBehindProxy(
  without: Without,
  more = '',
): Promise<{ readonly store: SessionStore; readonly proxy: CuttingProxy }> {
  const { url } = await postgresServer();
  const socket = `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`;
  const proxy = new CuttingProxy(socket);
  const port = await proxy.listen();
  const pool = new pg.Pool({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max: 3,
    connectionTimeoutMillis: 2000,
  });
  pool.on('error', () => undefined);
  const space = `cut-${port}-${Date.now()}-${Math.random()}`;
  const database = await openDatabase({
    url: `postgres://u:secret@127.0.0.1/postgres?space=${space}${more}`,
    pool,
    ...(without !== undefined && { without }),
  });
  const store = openPostgresStore({ database, clock: kitClock() });
  onTestFinished(async () => {
    proxy.cutAt(0, 'request');
    await store[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    await pool.end();
    proxy.close();
  });
  return { store, proxy };
}

/** Stands between a client and its server, and cuts what it is told to. */
class CuttingProxy {
  cuts = 0;
  readonly #to: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #left = 0;
  #what: 'request' | 'answer' = 'request';
  #refuses = false;

  constructor(to: string) {
    this.#to = to;
    this.#server = createServer((client) => this.#join(client));
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  }

  /** Cuts at the n-th piece from now on; 0 is never. */
  cutAt(piece: number, what: 'request' | 'answer'): void {
    this.#left = piece;
    this.#what = what;
  }

  refuse(): void {
    this.#refuses = true;
    for (const socket of this.#open) socket.destroy();
  }

  accept(): void {
    this.#refuses = false;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    if (this.#refuses) {
      client.destroy();
      return;
    }
    const server = createConnection(this.#to);
    let isCut = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#open.add(socket);
      socket.on('error', end).on('close', () => {
        this.#open.delete(socket);
        end();
      });
    }
    client.on('data', (piece) => {
      if (this.#left > 0 && (this.#left -= 1) === 0) {
        this.cuts += 1;
        if (this.#what === 'request') {
          end();
          return;
        }
        // The server gets it and does it; nobody hears of it.
        isCut = true;
      }
      server.write(piece);
    });
    server.on('data', (piece) => {
      if (isCut) end();
      else client.write(piece);
    });
  }
}
