import type { Inventory, SessionItem } from '../../core/retention/inventory.ts';
import type { EpochMs } from '../../core/time.ts';
import type { AgentRetention } from '../../homes/home-kind.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import type { Config } from '../config/config-schema.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';

/** A session that its agent is about to delete although our rules keep it. */
export interface ThreatenedSession {
  readonly session: SessionItem;
  /** When its agent would delete it at the earliest. */
  readonly at: EpochMs;
}

/**
 * What an agent will delete until then, without a word and for good, and what our rules would still keep at that time. The first to go
 * comes first.
 */
export function threatenedSessions(
  inventory: Inventory,
  { deletesAt }: Pick<AgentRetention, 'deletesAt'>,
  { until, config }: { readonly until: EpochMs; readonly config: Config },
): readonly ThreatenedSession[] {
  const soon = inventory.sessions.flatMap((session) => {
    const at = deletesAt.get(session.id);
    return at === undefined || at > until ? [] : [{ session, at }];
  });
  if (soon.length === 0) return [];
  const { decisions } = planRetention(inventory, { policy: policyFromConfig(config), now: until });
  // One that only gives up files stays.
  const leaving = decisions.filter(({ action }) => action === 'remove' || action === 'archive');
  const gone = new Set(leaving.map(({ item }) => `${item.kind} ${item.id}`));
  return soon.filter(({ session }) => !gone.has(`session ${session.id}`)).toSorted((a, b) => a.at - b.at);
}
