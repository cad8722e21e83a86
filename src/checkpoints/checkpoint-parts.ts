import type { Journal } from '../core/retention/run.ts';
import type { SessionRewind } from '../core/stores/session-rewind.ts';
import type { Clock } from '../core/time.ts';
import type { StoreOptions } from './store/open-store.ts';
import type { Sighting } from './take/workdir-sightings.ts';

/** What the checkpoints of a home need of what is around them. */
export interface CheckpointParts {
  /** How Coppice's own store of them is opened. */
  readonly storeOptions: StoreOptions;
  /** What all of them together may take. */
  readonly maxBytes: number | undefined;
  /** How long an undo of a restore is possible. */
  readonly trashGraceMs: number;
  readonly clock: Clock;
  /** Asked each time: the records about a home of another agent are made by the first change. */
  readonly records: () => { readonly journal: Journal; readonly rewind: SessionRewind };
  /** What passes have seen of the folders of projects, by the ids of those. */
  readonly sightings: () => Promise<ReadonlyMap<string, Sighting>>;
}
