import type { RuleContext } from './rule-context.ts';
import type { Verdict } from './verdict.ts';

/** A rule about an item that is not a session. The last of each list always applies. */
export type ItemRule<T> = {
  readonly applies: (item: T, context: RuleContext) => boolean;
  readonly isOff?: (context: RuleContext) => boolean;
} & Verdict;
