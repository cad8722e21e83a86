import { Failure } from '../../core/failure.ts';
import type { SessionFact } from '../../core/retention/inventory.ts';
import { unknownFacts } from '../../core/sessions/filter-match.ts';
import type { SessionFilter } from '../../core/sessions/session-filters.ts';
import { ofEachFilteredFact } from '../../core/sessions/word-facts.ts';

/** Refuses a filter on something that is not recorded in this home: whether it matches nothing or everything would be a guess. */
export function refuseUnknownFacts(filter: SessionFilter, known: readonly SessionFact[]): void {
  const [first] = unknownFacts(filter, known);
  if (first === undefined) return;
  throw new Failure('usage', `It is not recorded in this home ${WORDS[first]}, so sessions cannot be chosen by that.`, {
    hint: `Leave that option out. See what is known of a session with: coppice sessions show ID`,
  });
}

const WORDS: Record<SessionFact, string> = {
  tokens: 'how many tokens a session used',
  cost: 'what a session cost',
  ...ofEachFilteredFact(({ unrecorded }) => unrecorded),
};
