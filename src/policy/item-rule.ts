import type { KeepReason, RemoveAction, RemoveReason } from '../core/plan.ts';
import type { RuleContext } from './rule-context.ts';

/** A rule about an item that is not a session. The last of each list always applies. */
export type ItemRule<T> = {
  readonly applies: (item: T, context: RuleContext) => boolean;
  readonly isOff?: (context: RuleContext) => boolean;
} & Fate;

type Fate =
  | { readonly action: 'keep'; readonly reason: KeepReason }
  | { readonly action: RemoveAction; readonly reason: RemoveReason };
