import type { BoundsReport, MaintenanceReport } from '../../core/retention/maintenance.ts';
import type { EpochMs } from '../../core/time.ts';
import type { EmptiedTrash } from '../../engine/purge-expired.ts';
import type { Rescue } from './rescue.ts';

/** What became of a pass in the background. */
export type BackgroundReport =
  | (Exclude<MaintenanceReport, { status: 'not-due' }> & Pick<EmptiedInPassing, 'rescue'>)
  | ({ readonly status: 'not-due'; readonly nextAt: EpochMs } & EmptiedInPassing)
  | ({ readonly status: 'off' } & EmptiedInPassing)
  | { readonly status: 'failed'; readonly error: string };

/** What was done although no pass was made: expired trash, and the limits of checkpoints. */
export interface EmptiedInPassing {
  readonly emptied?: EmptiedTrash;
  readonly checkpoints?: BoundsReport;
  /** What was saved before its agent deletes it. */
  readonly rescue?: Rescue;
}
