import { Failure } from '../../../core/failure.ts';
import { isModuleMissing } from './is-module-missing.ts';
import { ALL_CAPABILITIES, type Capabilities } from './capabilities.ts';
import { Database } from './database.ts';
import { readServerAddress, type ServerAddress } from './server-address.ts';
import type { SqlClient, SqlPool, StatementConfig } from './sql.ts';
import { indexParts, migrate, spaceNumber } from '../schema/migrations.ts';

export interface OpenDatabaseOptions {
  /** Where the home is. With a pool, only what is said of the space counts. */
  readonly url: string;
  /** A pool of the caller's, who closes it. */
  readonly pool?: SqlPool;
  /** How many connections are held at most, where the pool is ours. */
  readonly connections?: number;
  /** What is done without, although the server could. */
  readonly without?: Partial<Record<keyof Capabilities, true>>;
}

const CONNECTIONS = 8;

/** Opens a home on a server. Its tables are made, or brought up to date, where that is needed. */
export async function openDatabase({
  url,
  pool: given,
  connections,
  without = {},
}: OpenDatabaseOptions): Promise<Database> {
  const address = readServerAddress(url);
  const pool = given ?? (await poolFor(address, connections ?? CONNECTIONS));
  const common = { pool, where: address.where, waitMs: address.waitMs, ownsPool: given === undefined };
  const capabilities = { oneStatement: without.oneStatement !== true && ALL_CAPABILITIES.oneStatement };
  const first = new Database({ ...common, space: 0, capabilities });
  try {
    await migrate(first);
    await indexParts(first);
    const space = await spaceNumber(first, address.space);
    return new Database({ ...common, space, capabilities });
  } catch (error) {
    await first[Symbol.asyncDispose]();
    throw error;
  }
}

/** The driver is loaded here and nowhere else: a program that keeps its homes in files never loads it. */
async function poolFor({ url, named }: ServerAddress, connections: number): Promise<SqlPool> {
  const { Pool } = await driver();
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5000,
    application_name: 'coppice',
  });
  // A connection that breaks while nobody uses it is replaced when somebody needs one.
  pool.on('error', () => undefined);
  return named ? withNames(pool) : pool;
}

async function driver() {
  try {
    return (await import('pg')).default;
  } catch (error) {
    if (!isModuleMissing(error)) throw error;
    throw new Failure('failed', 'A home on a server needs the driver for PostgreSQL, which is not installed.', {
      hint: 'Install it with: npm install pg',
      cause: error,
    });
  }
}

/** Gives each statement a name by which the server knows it again. */
function withNames(pool: SqlPool): SqlPool {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `coppice_${names.size}`;
    names.set(text, name);
    return name;
  };
  const named = (config: StatementConfig): StatementConfig =>
    config.types === undefined ? config : { ...config, name: nameOf(config.text) };
  return {
    async connect(): Promise<SqlClient> {
      const client = await pool.connect();
      return {
        query: (config) => client.query(named(config)),
        release: (broken) => client.release(broken),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
    end: () => pool.end(),
  };
}
