import { errorText } from '../../core/error-text.ts';
import { isNoSpace } from '../../core/machine-failure.ts';
import type { Problem } from '../../core/problem.ts';
import type { UsageBook, UsageGroup, UsageSums } from '../../core/stores/usage-book.ts';
import type { EpochMs } from '../../core/time.ts';
import { isThere } from '../../platform/files/is-there.ts';
import type { HomeParts } from '../home-parts.ts';
import type { ReadOptions } from './read-transcripts.ts';

export interface UsageTotalsQuery extends ReadOptions {
  readonly by: UsageGroup;
  /** Whole days: from the one in which this moment is. */
  readonly since?: EpochMs;
  /** Whole days before the one in which this moment is. */
  readonly before?: EpochMs;
  /** Also of all other homes of this person. */
  readonly everywhere?: boolean;
}

export interface UsageSummary extends UsageSums {
  readonly by: UsageGroup;
  /** In which days begin at midnight. */
  readonly timeZone: string;
  /** What could not be read or kept: the figures lack it. */
  readonly problems: readonly Problem[];
}

/**
 * What all calls of models took that this home ever knew of, each once. It stays known when transcripts and sessions go, in a book in
 * Coppice's own home, which is brought up to date whenever it is asked.
 */
export class HomeUsage {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  async totals({ by, since, before, everywhere = false, ...options }: UsageTotalsQuery): Promise<UsageSummary> {
    const { usageDays } = await import('./usage-days.ts');
    const days = await usageDays(this.#parts);
    const problems: Problem[] = [];
    const { openBook } = await import('./open-book.ts');
    using book = await openBook(this.#parts, days, problems);
    try {
      await book.price();
      problems.push(...(await this.bookInto(book, options)));
      if (everywhere) problems.push(...(await this.#bookOthers(book, options)));
      await book.settle();
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      problems.push(noRoom(error));
    }
    const range = {
      from: since === undefined ? undefined : days.dayOf(since),
      before: before === undefined ? undefined : days.dayOf(before),
      place: everywhere ? undefined : homePathOf(this.#parts),
    };
    return { by, timeZone: days.zone, ...book.totals(by, range), problems };
  }

  /** Books what is new here. Says what could not be read. */
  async bookInto(book: UsageBook, options: ReadOptions = {}): Promise<readonly Problem[]> {
    const { format } = this.#parts;
    const { sessionPlace } = await import('./session-place.ts');
    const { readSessions } = await import('./read-sessions.ts');
    const problems: Problem[] = [];
    if (format !== undefined) {
      const { readTranscripts } = await import('./read-transcripts.ts');
      const path = homePathOf(this.#parts);
      problems.push(...(await readTranscripts(book, { path, format: await format() }, options)));
    }
    await readSessions(book, await sessionPlace(this.#parts), options.signal);
    return problems;
  }

  /** Comes before transcripts go: what they tell of is then on the disk. A full disk keeps nobody from making room. */
  async keep(): Promise<void> {
    if (this.#parts.format === undefined) return;
    await this.#withBook(async (book) => {
      await this.bookInto(book);
    });
  }

  /** Leaves what these sessions used, and not where they worked. */
  async forget(ids: readonly string[]): Promise<void> {
    const { bookPath } = await import('./open-book.ts');
    if (!isThere(await bookPath(this.#parts))) return;
    await this.#withBook(async (book) => {
      await this.bookInto(book);
      await book.forgetProjects(ids);
    });
  }

  async #withBook(work: (book: UsageBook) => Promise<void>): Promise<void> {
    const { usageDays } = await import('./usage-days.ts');
    const { openBook } = await import('./open-book.ts');
    using book = await openBook(this.#parts, await usageDays(this.#parts), []);
    try {
      await work(book);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
    }
  }

  async #bookOthers(book: UsageBook, options: ReadOptions): Promise<readonly Problem[]> {
    const problems: Problem[] = [];
    for (const other of (await this.#parts.others?.()) ?? []) {
      try {
        await using home = await other.open();
        problems.push(...(await home.usage.bookInto(book, options)));
      } catch (error) {
        options.signal?.throwIfAborted();
        if (isNoSpace(error)) throw error;
        problems.push(unreadable(other.path, error));
      }
    }
    return problems;
  }
}

function homePathOf({ foreign, layout }: HomeParts): string {
  return foreign?.path ?? layout.root;
}

function unreadable(path: string, error: unknown): Problem {
  return {
    kind: 'unreadable-home',
    subject: path,
    message: `What is new in ${path} is not counted: ${errorText(error)}`,
    hint: 'What was counted of it before still is.',
  };
}

function noRoom(error: unknown): Problem {
  return {
    kind: 'usage-not-kept',
    subject: 'usage',
    message: `What is new is not counted: ${errorText(error)}`,
    hint: 'What was counted before still is.',
  };
}
