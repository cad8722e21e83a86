import type { SessionFact, SessionItem } from '../retention/inventory.ts';
import { entryCount, type SessionFacts, totalTokens } from './session.ts';
import {
  conditionsOfFilter,
  type FactsToFilter,
  type FilterCondition,
  type FilterName,
  type FilterTests,
  type SessionFilter,
} from './session-filters.ts';
import { FILTERED_FACTS, type WordFact } from './word-facts.ts';

/** What a filter looks at. */
export type Filterable = Pick<
  SessionItem,
  | 'source'
  | 'messageCount'
  | 'outputCount'
  | 'uncounted'
  | 'title'
  | 'endReason'
  | 'tokens'
  | 'costUsd'
  | WordFact
  | 'tags'
  | 'pinned'
>;

/** The same of a session as lists have it. */
export function filterable(facts: SessionFacts): Filterable {
  return { ...facts, tokens: totalTokens(facts.usage), costUsd: facts.usage.costUsd };
}

/**
 * Whether a session is one that a filter means. What is not known of a session never matches, and an empty title or project selects
 * nothing: it is in every one, and nobody means all of them by it. A store that has SQL asks the same in it; the suite of stores compares.
 */
export function filterMatch(filter: SessionFilter): (session: Filterable) => boolean {
  const conditions = conditionsOfFilter(filter);
  return (session) => conditions.every((condition) => holds(condition, factOf(session, condition.fact)));
}

type Fact = FactsToFilter[keyof FactsToFilter];

function factOf(session: Filterable, fact: keyof FactsToFilter): Fact {
  if (fact !== 'messages') return session[fact];
  return session.uncounted === true ? undefined : entryCount(session);
}

function holds({ test, value }: FilterCondition, fact: Fact): boolean {
  // A condition has the value of its test.
  return (TESTS[test] as (fact: Fact, value: unknown) => boolean)(fact, value);
}

/** A limit that is not a number matches nothing. */
const TESTS: { readonly [Test in keyof FilterTests]: (fact: Fact, value: FilterTests[Test]) => boolean } = {
  is: (fact, value) => fact === value,
  yes: (fact, value) => fact === value,
  contains: (fact, part) => typeof fact === 'string' && part !== '' && fold(fact).includes(fold(part)),
  within: (fact, outer) => typeof fact === 'string' && outer !== '' && isWithin(fact, outer),
  least: (fact, least) => typeof fact === 'number' && fact >= least,
  most: (fact, most) => typeof fact === 'number' && fact <= most,
  all: (fact, wanted) => Array.isArray(fact) && wanted.every((one) => fact.includes(one)),
};

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(insideOf(outer));
}

/** What titles are compared by. */
export function fold(text: string): string {
  return text.toLowerCase();
}

/** With what the path of everything below a folder begins. */
export function insideOf(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

/** The facts that a filter asks about and that this home does not have. */
export function unknownFacts(filter: SessionFilter, known: readonly SessionFact[]): readonly SessionFact[] {
  return FACTS.filter(({ names }) => names.some((name) => filter[name] !== undefined))
    .map(({ fact }) => fact)
    .filter((fact) => !known.includes(fact));
}

const FACTS: readonly { readonly fact: SessionFact; readonly names: readonly FilterName[] }[] = [
  { fact: 'tokens', names: ['minTokens', 'maxTokens'] },
  { fact: 'cost', names: ['minCostUsd', 'maxCostUsd'] },
  ...FILTERED_FACTS.map((fact) => ({ fact, names: [fact] })),
];
