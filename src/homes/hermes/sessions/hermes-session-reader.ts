import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../../core/error-text.ts';
import { Failure } from '../../../core/failure.ts';
import type { Message } from '../../../core/sessions/message.ts';
import type { ModelUsage, SessionFacts } from '../../../core/sessions/session.ts';
import type { NamePart } from '../../../core/sessions/session-names.ts';
import type {
  ListQuery,
  MessageRange,
  SearchHit,
  SearchQuery,
  SessionReader,
  StoreCheck,
} from '../../../core/stores/session-reader.ts';
import type { Clock } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { checkHermesDatabase } from '../database/check-hermes-database.ts';
import { type HermesDatabase, readHermes } from '../database/hermes-connection.ts';
import { endHermesSession } from './end-hermes-session.ts';
import { readConversation } from './hermes-conversation.ts';
import { hermesFacts } from './hermes-facts.ts';
import { readIds, readSession } from './hermes-rows.ts';
import { searchHermes } from './hermes-search.ts';
import type { FileBytes } from './hermes-session-item.ts';
import { readUsageByModel } from './hermes-usage.ts';
import { listHermes } from './list-hermes.ts';
import { namedIds } from './named-ids.ts';
import { listSessionFiles, lookAtFiles, type SessionFiles, sumSizes } from './session-files.ts';

export interface HermesReaderParts {
  readonly home: string;
  readonly clock: Clock;
}

/** The sessions of a Hermes home as they are. No connection is held between two questions. */
export function createHermesSessionReader(parts: HermesReaderParts): SessionReader {
  return new HermesSessionReader(parts);
}

/** The refusal of everything that would change a session of Hermes. */
export function belongsToHermes(): Failure {
  const message = 'This session belongs to Hermes. Coppice only cuts back what Hermes keeps; change it with Hermes.';
  return new Failure('usage', message, { hint: 'See what Hermes can do with: hermes sessions --help' });
}

function unreadable(cause: unknown): Failure {
  const why = errorText(cause);
  const hint = 'Nothing was changed. See what is wrong with: coppice doctor';
  return new Failure('integrity', `The database of Hermes cannot be read: ${why}.`, { hint, cause });
}

class HermesSessionReader implements SessionReader {
  readonly #parts: HermesReaderParts;
  #files: { readonly stamp: bigint | undefined; readonly known: SessionFiles } | undefined;

  constructor(parts: HermesReaderParts) {
    this.#parts = parts;
  }

  get(id: string): Promise<SessionFacts | undefined> {
    return this.#read((hermes) => this.#facts(hermes, id));
  }

  idsNamed(part: NamePart, limit: number): Promise<readonly string[]> {
    return this.#read((hermes) => namedIds(hermes, part, limit));
  }

  async *list(query: ListQuery = {}): AsyncGenerator<SessionFacts> {
    const { home, clock } = this.#parts;
    // Hermes has no archive.
    if (query.archived === true) return;
    const sessions = await this.#ask((hermes) =>
      listHermes(hermes, { home, query, bytesOf: this.#bytesOf(hermes), now: clock.now() }),
    );
    // A long list has files of its own to be told about, and whoever reads it may take a while.
    if (query.limit === undefined) this.#files = undefined;
    yield* sessions;
  }

  messages(id: string, range: MessageRange = {}): AsyncIterable<Message> {
    return readConversation((read) => this.#read(read), id, range);
  }

  usageByModel(id: string): Promise<readonly ModelUsage[]> {
    return this.#read((hermes) => readUsageByModel(hermes, id));
  }

  search(query: SearchQuery): Promise<readonly SearchHit[]> {
    return this.#ask(async (hermes) => {
      const found = await searchHermes(hermes, query);
      return found.flatMap(({ id, ...hit }): SearchHit[] => {
        const session = this.#facts(hermes, id);
        return session === undefined ? [] : [{ session, ...hit }];
      });
    });
  }

  check(): AsyncIterable<StoreCheck> {
    return checkHermesDatabase(this.#parts.home);
  }

  async endAsOwner(id: string): Promise<void> {
    const { home, clock } = this.#parts;
    await endHermesSession({ home, now: clock.now() }, id);
  }

  #read<T>(read: (hermes: HermesDatabase) => T): Promise<T> {
    return this.#ask(async (hermes) => read(hermes));
  }

  async #ask<T>(read: (hermes: HermesDatabase) => Promise<T>): Promise<T> {
    try {
      return await readHermes(this.#parts.home, read);
    } catch (error) {
      if (!errorCode(error)?.startsWith('SQLITE_')) throw error;
      throw unreadable(error);
    }
  }

  #facts(hermes: HermesDatabase, id: string): SessionFacts | undefined {
    const row = readSession(hermes, id);
    return row && hermesFacts(row, this.#bytesOf(hermes)(id));
  }

  /** The bytes of a session's files. Names are read again once the folder has changed. */
  #bytesOf(hermes: HermesDatabase): (id: string) => FileBytes {
    const sessions = join(this.#parts.home, 'sessions');
    const stamp = statSync(sessions, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (this.#files === undefined || this.#files.stamp !== stamp) {
      this.#files = { stamp, known: listSessionFiles(this.#parts.home, readIds(hermes)) };
    }
    const { known } = this.#files;
    return (id) => sumSizes(lookAtFiles(this.#parts.home, known.of(id)));
  }
}
