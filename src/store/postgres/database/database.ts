import { randomUUID } from 'node:crypto';
import { Failure } from '../../../core/failure.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { wait } from '../../../platform/machine/wait.ts';
import type { Capabilities } from './capabilities.ts';
import { awayTooLong, isAway, isTaken, isUndone, serverFailure } from './server-errors.ts';
import { numbering, type Sql, type SqlClient, type SqlPool, statementOf, type Value } from './sql.ts';

export interface DatabaseParts {
  readonly pool: SqlPool;
  /** The number of the home in the database. */
  readonly space: number;
  readonly capabilities: Capabilities;
  /** The server without any secret, for sentences. */
  readonly where: string;
  /** How long a server that is away is waited for. */
  readonly waitMs: number;
  /** Whether the pool is ours to close. */
  readonly ownsPool: boolean;
}

/**
 * One home in a database on a server. What is asked outside of a transaction only reads; every change goes through `write`, which is
 * carried out whole and once, whatever becomes of the connection meanwhile. Nothing is kept on a connection between two transactions,
 * so a pooler may stand in between.
 */
export class Database implements Sql, AsyncDisposable {
  readonly space: number;
  readonly capabilities: Capabilities;
  readonly where: string;
  readonly #parts: DatabaseParts;
  readonly #numbered: (text: string) => string;
  readonly #background = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
    this.space = parts.space;
    this.capabilities = parts.capabilities;
    this.where = parts.where;
    this.#numbered = numbering(parts.space);
  }

  async all<Row>(text: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#patiently((client) => this.#ask(client, text, values))).rows as Row[];
  }

  async get<Row>(text: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(text, ...values))[0];
  }

  async run(text: string, ...values: readonly Value[]): Promise<number> {
    return this.write((tx) => tx.run(text, ...values));
  }

  /**
   * Carries out changes in one transaction: all of them or none. It is begun again where the server undid it, and where the connection
   * broke. What became of a commit that nobody heard of is asked by its id, which stands in the same transaction.
   */
  async write<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    const id = randomUUID();
    let sent: { readonly value: T } | undefined;
    return this.#patiently(async (client) => {
      try {
        await client.query({ text: `${BEGIN}; INSERT INTO coppice.commits (id) VALUES ('${id}')` });
      } catch (error) {
        if (!isTaken(error) || sent === undefined) throw error;
        await client.query({ text: 'ROLLBACK' });
        return sent.value;
      }
      const value = await work(this.#within(client));
      sent = { value };
      await client.query({ text: 'COMMIT' });
      return value;
    });
  }

  /** Makes what every change needs, before there is anything. Each statement may be carried out again. */
  async prepare(work: (sql: Sql) => Promise<void>): Promise<void> {
    await this.#patiently((client) => work(this.#within(client)), isTakenByAnother);
  }

  /**
   * Carries out one statement that is a transaction by itself and notes, under the id it is given, what it answers. Whoever did not hear
   * the answer reads it there.
   */
  async writeAtOnce<Row>(text: string, valuesFor: (id: string) => readonly Value[]): Promise<readonly Row[]> {
    const id = randomUUID();
    return this.#patiently(async (client) => {
      try {
        return (await this.#ask(client, text, valuesFor(id))).rows as Row[];
      } catch (error) {
        if (!isTaken(error)) throw error;
        const noted = await this.#ask(client, 'SELECT result FROM coppice.commits WHERE id = ?::uuid', [id]);
        const [row] = noted.rows as { result: string | null }[];
        if (row === undefined) throw error;
        return JSON.parse(row.result ?? '[]') as Row[];
      }
    });
  }

  /** Forgets transactions that nobody can ask for any more, in short steps. */
  async forgetCommits(): Promise<void> {
    while ((await this.write((tx) => tx.run(FORGET_COMMITS))) === MOST_FORGOTTEN);
  }

  /** Work that nobody waits for, but whoever closes the database, and whoever asks for it. */
  inBackground(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).finally(() => this.#background.delete(settled));
    this.#background.add(settled);
  }

  async settled(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    await this.settled();
    this.#isClosed = true;
    if (this.#parts.ownsPool) await this.#parts.pool.end();
  }

  #within(client: SqlClient): Sql {
    const ask = (text: string, values: readonly Value[]) => this.#ask(client, text, values);
    return {
      space: this.space,
      all: async <Row>(text: string, ...values: readonly Value[]) => (await ask(text, values)).rows as Row[],
      get: async <Row>(text: string, ...values: readonly Value[]) =>
        (await ask(text, values)).rows[0] as Row | undefined,
      run: async (text, ...values) => (await ask(text, values)).rowCount ?? 0,
    };
  }

  #ask(client: SqlClient, text: string, values: readonly Value[]) {
    return client.query(statementOf(this.#numbered(text), values));
  }

  /** Again and again while the server is away or undoes it, until it was waited for long enough. */
  async #patiently<T>(
    attempt: (client: SqlClient) => Promise<T>,
    isPassing: (error: unknown) => boolean = isUndone,
  ): Promise<T> {
    if (this.#isClosed) throw closedStore();
    const until = performance.now() + this.#parts.waitMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await this.#once(attempt);
      } catch (error) {
        const isOver = performance.now() >= until;
        if (isAway(error) && isOver) throw awayTooLong(this.where, this.#parts.waitMs, error);
        if (isOver || !(isAway(error) || isPassing(error))) throw serverFailure(error, this.where);
      }
      // Not all who wait come back in the same moment.
      await wait(pauseMs * (0.5 + Math.random()));
    }
  }

  async #once<T>(attempt: (client: SqlClient) => Promise<T>): Promise<T> {
    const client = await this.#parts.pool.connect();
    // A connection that breaks says so to whoever asked it, and besides to everybody: unheard, that would end the host program.
    client.on('error', ignore);
    let broken = false;
    try {
      return await attempt(client);
    } catch (error) {
      broken = await rollBack(client, error);
      throw error;
    } finally {
      client.removeListener('error', ignore);
      client.release(broken);
    }
  }
}

function ignore(): void {}

const MOST_FORGOTTEN = 500;
/** Far longer than anybody tries again. */
const FORGET_COMMITS = `DELETE FROM coppice.commits WHERE id IN
  (SELECT id FROM coppice.commits WHERE at < now() - interval '1 hour' ORDER BY at LIMIT ${MOST_FORGOTTEN})`;

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

/** Whatever the server makes of transactions otherwise: rows that are changed are locked first, by whoever decides about them. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Whether the connection is of no more use. */
async function rollBack(client: SqlClient, error: unknown): Promise<boolean> {
  if (isAway(error)) return true;
  try {
    await client.query({ text: 'ROLLBACK' });
    return false;
  } catch {
    // The failure that led here is the one to tell.
    return true;
  }
}

/** Two who make the same at once: the server lets one of them fail, who then finds it made. */
function isTakenByAnother(error: unknown): boolean {
  return isUndone(error) || isTaken(error) || errorCode(error) === '42P07' || errorCode(error) === '42P06';
}

function closedStore(): Failure {
  return new Failure('refused', 'This home was closed, so nothing can be read from it or written to it any more.', {
    hint: 'Open it again with openHome(), and close it after the last use.',
  });
}
