import type { Problem } from '../core/problem.ts';
import type { HomeDriver } from '../core/retention/home-driver.ts';
import type { SessionFact } from '../core/retention/inventory.ts';
import type { StoreCheck } from '../core/sessions/session-reader.ts';
import type { SessionStore } from '../core/sessions/session-store.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import type { NativeLayout } from '../homes/native/native-layout.ts';
import type { ConfigIssue } from './config/config-issue.ts';
import type { Config } from './config/config-schema.ts';
import type { Configuration } from './config/configuration.ts';
import type { Upkeep } from './maintenance/upkeep.ts';
import type { SessionFile } from './sessions/session-files.ts';

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
  /** Closed after the store, which writes to it. */
  readonly transcripts: Disposable;
  /** What the home needs done by whoever writes to it. */
  readonly upkeep?: Upkeep;
  /**
   * Comes before every answer: ends what a dead process left, or tells why it cannot. Returns the runs that it took up. One cheap
   * look where there is nothing.
   */
  readonly settleFirst?: () => Promise<readonly string[]>;
  /** Set for a home that another agent writes; the rest is then Coppice's own records beside it. */
  readonly foreign?: ForeignHome;
}

/** What is different about a home that another agent writes. */
export interface ForeignHome {
  readonly kind: 'hermes';
  readonly path: string;
  /** Why it is only shown and never changed; empty when it may be. */
  readonly reasons: readonly Problem[];
  readonly driver: HomeDriver;
  files(id: string): readonly SessionFile[];
  /** Which of the facts that not every kind of home records are known of its sessions. */
  knows(): Promise<readonly SessionFact[]>;
  /** Looks for damage in what Coppice keeps about it. Changes nothing. */
  checkOwn(): AsyncIterable<StoreCheck>;
  /** When its agent, or Coppice in its place, last cut it back unattended. A time in the future is no answer. */
  lastPassAt(now: EpochMs): Promise<EpochMs | undefined>;
  /** Notes an unattended pass where its agent looks, so that it does not do the same once more. */
  notePass(now: EpochMs): Promise<void>;
  /** Comes before every change: refuses where there are reasons, and makes the place for Coppice's own records. */
  prepare(): Promise<void>;
}
