import type { CheckpointParts } from '../../../checkpoints/checkpoint-parts.ts';
import type { SessionStore } from '../../../core/stores/session-store.ts';
import type { OwnLayout } from '../../../keeping/own-layout.ts';

/** What the checkpoints of a Hermes home need of what Coppice keeps beside it. */
export interface HermesCheckpointParts extends CheckpointParts {
  readonly home: string;
  readonly layout: OwnLayout;
  readonly store: SessionStore;
}
