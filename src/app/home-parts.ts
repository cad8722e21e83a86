import type { SessionStore } from '../core/session-store.ts';
import type { Clock } from '../core/time.ts';
import type { NativeLayout } from '../homes/native/native-layout.ts';
import type { Config } from './config/config-schema.ts';

/** What an open home is made of. */
export interface HomeParts {
  readonly layout: NativeLayout;
  readonly config: Config;
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Closed after the store, which writes to it. */
  readonly transcripts: Disposable;
}
