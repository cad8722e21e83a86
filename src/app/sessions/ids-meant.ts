import type { NamePart } from '../../core/sessions/session-names.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';

export type Naming = Pick<SessionStore, 'get' | 'list' | 'idsNamed'>;

/**
 * Every session that could be meant by what is no whole id: one that begins or ends so, or has that title; where there is none, those
 * whose title begins so. At most `limit` by each way.
 */
export async function idsMeant(store: Naming, typed: string, limit: number): Promise<readonly string[]> {
  if (typed === '') return [];
  const named = (kind: NamePart['kind']) => store.idsNamed({ kind, text: typed }, limit);
  const ids = new Set([...(await named('id-start')), ...(await named('id-end')), ...(await named('title'))]);
  return ids.size > 0 ? [...ids] : named('title-start');
}
