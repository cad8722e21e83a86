import type { ListQuery } from '../../core/stores/session-reader.ts';
import { MINUTE_MS } from '../../core/time.ts';
import { activeQuery as queryActive } from '../../keeping/liveness/active-sessions.ts';
import type { HomeParts } from '../home-parts.ts';

/** What makes a session of this home active now, by its configuration. */
export function activeQuery({ store, config, clock }: HomeParts): Promise<NonNullable<ListQuery['active']>> {
  return queryActive(store, { clock, graceMs: config.sessions.active_grace_minutes * MINUTE_MS });
}
