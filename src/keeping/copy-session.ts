import type { SessionFacts } from '../core/sessions/session.ts';
import type { SessionReader } from '../core/stores/session-reader.ts';
import type { SessionStore } from '../core/stores/session-store.ts';

/** Brings one session into the records, from where it is read. `conflict` is another one with the same id. */
export type CopySession = (
  into: SessionStore,
  facts: SessionFacts,
  from: SessionReader,
) => Promise<{ readonly status: 'copied' | 'conflict' | 'failed'; readonly message?: string }>;
