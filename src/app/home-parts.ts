import type { SessionStore } from '../core/stores/session-store.ts';
import type { Clock } from '../core/time.ts';
import type { FoundHome, OpenedHome } from '../homes/home-kind.ts';
import type { UsageBook } from '../core/stores/usage-book.ts';
import type { Problem } from '../core/problem.ts';
import type { ArchiveObjects } from '../keeping/archive/shelf/object-place.ts';
import type { NativeLayout } from '../homes/native/native-layout.ts';
import type { ConfigIssue } from './config/config-issue.ts';
import type { Config } from './config/config-schema.ts';
import type { Configuration } from './config/configuration.ts';
import type { Upkeep } from './maintenance/upkeep.ts';

/** Another home of the same person, that need not be open. */
export interface OtherHome {
  readonly path: string;
  open(): Promise<AsyncDisposable & { readonly usage: BooksUsage }>;
}

/** Books what is new in a home, and says what could not be read. */
export interface BooksUsage {
  bookInto(book: UsageBook, options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly Problem[]>;
}

/** What an open home is made of. */
export interface HomeParts {
  readonly layout: NativeLayout;
  readonly config: Config;
  readonly configuration: Configuration;
  /** What is wrong with the configuration. While there is anything, nothing is changed. */
  readonly configIssues?: readonly ConfigIssue[];
  /** Nothing can be written in the home: it was opened to look at it. */
  readonly onlyRead?: boolean;
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Told, in a sentence, what the home did by itself that takes space, or could not do on a full disk. */
  readonly tell?: (sentence: string) => void;
  /** Where archived sessions go; into the home itself where this is absent. */
  readonly objects?: ArchiveObjects | undefined;
  /** Closed after the store, which writes to it. */
  readonly transcripts: Disposable;
  /** What the home needs done by whoever writes to it. */
  readonly upkeep?: Upkeep;
  /**
   * Comes before every answer: ends what a dead process left, or tells why it cannot. Returns the runs that it took up. One cheap
   * look where there is nothing.
   */
  readonly settleFirst?: () => Promise<readonly string[]>;
  /** How conversations are read that another agent keeps in files here. */
  readonly format?: FoundHome['format'];
  /** Coppice's own home, which is another one where this is that of another agent. */
  readonly ownRoot?: () => Promise<string>;
  /** The settings of that one. */
  readonly ownConfig?: () => Promise<Config>;
  /** The other homes of this person. */
  readonly others?: () => Promise<readonly OtherHome[]>;
  /** Comes before sessions go: notes for good what they used. */
  readonly keepUsage?: () => Promise<void>;
  /** Takes out of those notes where sessions worked. */
  readonly forgetUsage?: (ids: readonly string[]) => Promise<void>;
  /** Takes what sessions said out of the search index, for good. */
  readonly forgetWords?: (ids: readonly string[]) => Promise<void>;
  /** Set for a home that another agent writes; the rest is then Coppice's own records beside it. */
  readonly foreign?: OpenedHome;
}
