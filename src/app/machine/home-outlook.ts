import type { HomeParts } from '../home-parts.ts';
import { type Rescue, type RescueOptions, rescueThreatened } from '../maintenance/rescue.ts';
import type { Retention, RetentionOptions } from '../retention/retention.ts';
import { expiringOf, type HomeExpiring } from './expiring.ts';
import { type HomeOverview, homeOverview } from './home-overview.ts';

/** How one home stands beside the others of a machine, and what becomes of it by itself. */
export interface HomeOutlook {
  /** What it keeps, in a line. Changes nothing. */
  overview(options?: RetentionOptions): Promise<HomeOverview>;
  /** What our rules, and its agent, are about to let go of within a time. Changes nothing. */
  expiring(options: RetentionOptions & { readonly withinMs: number }): Promise<HomeExpiring>;
  /** Archives what its agent is about to delete although our rules keep it, where the settings say so. */
  rescue(options?: RescueOptions): Promise<Rescue | undefined>;
}

export function homeOutlook(parts: HomeParts, retention: Retention): HomeOutlook {
  return {
    overview: (options) => homeOverview(parts, retention, options),
    expiring: (options) => expiringOf(parts, retention, options),
    rescue: (options) => rescueThreatened(parts, retention, options),
  };
}
