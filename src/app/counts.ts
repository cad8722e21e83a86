import type { LedgerQuery } from '../core/stores/ledger-book.ts';
import type { HomeParts } from './home-parts.ts';
import type { SessionsQuery } from './sessions/list-query.ts';
import { listQuery } from './sessions/list-query.ts';

/** How long the lists of a home are, without reading them: `home.counts`. */
export class Counts {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  async sessions(query: SessionsQuery = {}): Promise<number> {
    return this.#parts.store.counts.sessions(await listQuery(this.#parts, query));
  }

  /** Of one session; with `rewound` also those that were taken back. */
  messages(id: string, rewound = false): Promise<number> {
    return this.#parts.store.counts.messages(id, rewound);
  }

  /** Keys that a session answers, or those of one source. */
  routes(source?: string): Promise<number> {
    return this.#parts.store.counts.routes(source);
  }

  ledger(query?: LedgerQuery): Promise<number> {
    return this.#parts.store.counts.ledger(query);
  }
}
