import { type Inventory, itemBytes } from '../../core/retention/inventory.ts';
import { isRemoval } from '../../core/retention/plan.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import { type Amount, amountOf } from '../documents/plan-document.ts';
import type { HomeParts } from '../home-parts.ts';
import { nextMaintenanceAt } from '../maintenance/maintenance-memory.ts';
import { configNotes } from '../refusals/refuse-bad-config.ts';
import { foreignNotes } from '../refusals/refuse-foreign.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';
import type { Retention, RetentionOptions } from '../retention/retention.ts';
import { bookedSpend } from './booked-spend.ts';
import { type HomeSpend, homeSpend } from './home-spend.ts';
import { type OwnDeletions, ownDeletions } from './own-deletions.ts';

/** What one home keeps, in a line. */
export interface HomeOverview {
  readonly sessions: number;
  /** In use now. */
  readonly active: number;
  readonly archived: number;
  /** What all of it takes on the disk, as `du` counts it. */
  readonly sizeBytes: number;
  /** What sessions take that began in the last seven days. */
  readonly newBytes: number;
  /** What the rules in force would let go of now. */
  readonly canGo: Amount;
  readonly spend: HomeSpend;
  /** What its agent is set to delete by itself; absent where it does not, or where nobody knows. */
  readonly own?: OwnDeletions;
  /** When the next unattended pass is due; absent where they are switched off. */
  readonly nextMaintenanceAt?: EpochMs;
  /** Why nothing in it is changed; empty where it may be. */
  readonly onlyShown: readonly string[];
  /** How much could not be read or is not understood. */
  readonly problems: number;
}

/** Over so many days it is said how much is new. */
const NEW_MS = 7 * DAY_MS;

/** Reads a home once and asks the rules about it. Changes nothing. */
export async function homeOverview(
  parts: HomeParts,
  retention: Retention,
  options?: RetentionOptions,
): Promise<HomeOverview> {
  const inventory = await retention.scan(options);
  const now = inventory.scannedAt;
  const { decisions } = planRetention(inventory, { policy: policyFromConfig(parts.config), now });
  const own = await ownDeletions(parts, inventory);
  const nextAt = await nextMaintenanceAt(parts);
  return {
    sessions: inventory.sessions.length,
    active: inventory.sessions.filter(({ active }) => active).length,
    archived: inventory.archives.length,
    sizeBytes: inventory.disk.usedBytes,
    newBytes: newBytes(inventory, now - NEW_MS),
    canGo: amountOf(decisions, isRemoval),
    spend: await (parts.format === undefined ? homeSpend(parts, inventory) : bookedSpend(parts)),
    ...(own !== undefined && { own }),
    ...(nextAt !== undefined && { nextMaintenanceAt: nextAt }),
    onlyShown: [...foreignNotes(parts, inventory.problems), ...configNotes(parts)],
    problems: inventory.problems.length,
  };
}

function newBytes({ sessions }: Inventory, since: EpochMs): number {
  return sessions.reduce((sum, session) => sum + (session.startedAt >= since ? itemBytes(session) : 0), 0);
}
