import type { SessionFilter } from '../../core/retention/plan.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { ListQuery } from '../../core/sessions/session-reader.ts';
import { NATIVE_FACTS } from '../../homes/native/session-item.ts';
import { filterable, filterMatch } from '../../policy/filter-match.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseUnknownFacts } from '../refuse-unknown-facts.ts';

/** Sessions in their order that a filter means, by the same test as plans go by. The limit counts those that match. */
export async function* listMatching(
  { store, foreign }: Pick<HomeParts, 'store' | 'foreign'>,
  { limit = Number.POSITIVE_INFINITY, ...query }: ListQuery,
  filter: SessionFilter,
): AsyncGenerator<SessionFacts> {
  refuseUnknownFacts(filter, foreign === undefined ? NATIVE_FACTS : await foreign.knows());
  const matches = filterMatch(filter);
  let found = 0;
  for await (const facts of store.list(query)) {
    if (found >= limit) return;
    if (!matches(filterable(facts))) continue;
    found += 1;
    yield facts;
  }
}
