import type { CheckOptions, HomeCheck } from './check-home.ts';
import type { Config } from './config/config-schema.ts';
import type { HomeParts } from './home-parts.ts';
import { Sessions } from './sessions/sessions.ts';

/** An open home. It owns the database connection, so it must be closed. */
export class Home implements AsyncDisposable {
  readonly path: string;
  readonly config: Config;
  readonly sessions: Sessions;
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.path = parts.layout.root;
    this.config = parts.config;
    this.sessions = new Sessions(parts);
    this.#parts = parts;
  }

  /** Looks at the database, the search index and every file, and names what is wrong. Changes nothing. */
  async *check(options?: CheckOptions): AsyncGenerator<HomeCheck> {
    const { checkHome } = await import('./check-home.ts');
    yield* checkHome(this.#parts, options);
  }

  async close(): Promise<void> {
    try {
      await this.#parts.store[Symbol.asyncDispose]();
    } finally {
      this.#parts.transcripts[Symbol.dispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
