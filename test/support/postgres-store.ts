import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import pg from 'pg';
import type { SessionStore } from '../../src/core/stores/session-store.ts';
import type { Clock } from '../../src/core/time.ts';
import type { StorePlace } from '../../src/kit/store/store-desk.ts';
import { type OpenDatabaseOptions, openDatabase } from '../../src/store/postgres/database/open-database.ts';
import type { Database } from '../../src/store/postgres/database/database.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { postgresServer } from './postgres-server.ts';

export type Without = OpenDatabaseOptions['without'];

/** A home of its own on the server of the run, each time it is opened with another connection to choose from. */
export class PostgresPlace {
  readonly space = `test-${randomUUID()}`;
  readonly without: Without;
  readonly #opened: Database[] = [];
  #pool: Promise<pg.Pool> | undefined;

  constructor(without: Without = {}) {
    this.without = without;
  }

  async database(): Promise<Database> {
    const { url } = await postgresServer();
    this.#pool ??= this.#makePool(url);
    const database = await openDatabase({
      url: `${url}&space=${this.space}`,
      pool: await this.#pool,
      ...(this.without !== undefined && { without: this.without }),
    });
    this.#opened.push(database);
    return database;
  }

  async store(clock: Clock): Promise<SessionStore> {
    return openPostgresStore({ database: await this.database(), clock });
  }

  async #makePool(url: string): Promise<pg.Pool> {
    const pool = new pg.Pool({ connectionString: url, max: 6 });
    pool.on('error', () => undefined);
    onTestFinished(async () => {
      // What they are still giving back needs the pool.
      for (const database of this.#opened) await database[Symbol.asyncDispose]();
      await pool.end();
    });
    return pool;
  }
}

/** As the suites ask for one. */
export function postgresStorePlace(without: Without = {}): StorePlace {
  const place = new PostgresPlace(without);
  return { open: ({ clock }) => place.store(clock) };
}
