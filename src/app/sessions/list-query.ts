import type { StoreListQuery } from '../../core/stores/session-store.ts';
import { NATIVE_FACTS } from '../../homes/native/session-item.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseUnknownFacts } from '../refusals/refuse-unknown-facts.ts';
import { activeQuery } from './active-sessions.ts';

/**
 * What to list. `active` asks for sessions that a living process holds, or that were used a moment ago. A filter on something that
 * the home does not record is refused.
 */
export interface SessionsQuery extends Omit<StoreListQuery, 'active' | 'skip'> {
  readonly active?: boolean;
}

/** What a store is asked for: whose claims count now, and nothing that the home does not record. */
export async function listQuery(parts: HomeParts, { active, ...query }: SessionsQuery): Promise<StoreListQuery> {
  const { filter } = query;
  if (filter !== undefined) refuseUnknownFacts(filter, (await parts.foreign?.knows()) ?? NATIVE_FACTS);
  return { ...query, ...(active === true && { active: await activeQuery(parts) }) };
}
