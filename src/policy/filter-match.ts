import type { SessionFact, SessionItem } from '../core/retention/inventory.ts';
import type { SessionFilter } from '../core/retention/plan.ts';
import { entryCount, type SessionFacts, totalTokens } from '../core/sessions/session.ts';

/** What a filter looks at. */
export type Filterable = Pick<
  SessionItem,
  | 'source'
  | 'messageCount'
  | 'outputCount'
  | 'title'
  | 'workdir'
  | 'model'
  | 'endReason'
  | 'tokens'
  | 'costUsd'
  | 'provider'
  | 'user'
  | 'chat'
  | 'branch'
>;

/** The same of a session as lists have it. */
export function filterable(facts: SessionFacts): Filterable {
  return { ...facts, tokens: totalTokens(facts.usage), costUsd: facts.usage.costUsd };
}

/**
 * Whether a session is one that a filter means. What is not known of a session never matches, and an empty title selects nothing: it
 * is in every title, and nobody means all of them by it.
 */
export function filterMatch(filter: SessionFilter): (session: Filterable) => boolean {
  const part = filter.title?.toLowerCase();
  return (session) =>
    isSame(filter.source, session.source) &&
    isWithin(entryCount(session), filter.minMessages, filter.maxMessages) &&
    (part === undefined || (part !== '' && session.title?.toLowerCase().includes(part) === true)) &&
    isSame(filter.workdir, session.workdir) &&
    isSame(filter.model, session.model) &&
    isSame(filter.endedBy, session.endReason) &&
    isWithin(session.tokens, filter.minTokens, filter.maxTokens) &&
    isWithin(session.costUsd, filter.minCostUsd, filter.maxCostUsd) &&
    isSame(filter.provider, session.provider) &&
    isSame(filter.user, session.user) &&
    isSame(filter.chat, session.chat) &&
    isSame(filter.branch, session.branch);
}

/** The facts that a filter asks about and that this home does not have. */
export function unknownFacts(filter: SessionFilter, known: readonly SessionFact[]): readonly SessionFact[] {
  return FACTS.filter(({ fields }) => fields.some((field) => filter[field] !== undefined))
    .map(({ fact }) => fact)
    .filter((fact) => !known.includes(fact));
}

const FACTS: readonly { readonly fact: SessionFact; readonly fields: readonly (keyof SessionFilter)[] }[] = [
  { fact: 'tokens', fields: ['minTokens', 'maxTokens'] },
  { fact: 'cost', fields: ['minCostUsd', 'maxCostUsd'] },
  { fact: 'provider', fields: ['provider'] },
  { fact: 'user', fields: ['user'] },
  { fact: 'chat', fields: ['chat'] },
  { fact: 'branch', fields: ['branch'] },
];

function isSame(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === undefined || value === wanted;
}

/** A limit that is not a number matches nothing. */
function isWithin(value: number | undefined, least: number | undefined, most: number | undefined): boolean {
  if (least === undefined && most === undefined) return true;
  return value !== undefined && (least === undefined || value >= least) && (most === undefined || value <= most);
}
