import type { Inventory } from '../core/retention/inventory.ts';
import { type Decision, isRemoval, type Plan } from '../core/retention/plan.ts';
import { conversationOf } from './find-lineages.ts';

/**
 * The same plan without the removals of these items: a person looked at it and wants them to stay. Nothing goes that did not go before.
 * A conversation stays as a whole, as the rules have it, so what continues one of them stays, too.
 */
export function narrowPlan(plan: Plan, ids: readonly string[], { sessions }: Pick<Inventory, 'sessions'>): Plan {
  const conversation = conversationOf(sessions);
  const kept = new Set(ids);
  const keptConversations = new Set(ids.map(conversation));
  const stays = ({ item }: Decision) =>
    kept.has(item.id) || (item.kind === 'session' && keptConversations.has(conversation(item.id)));
  const decisions = plan.decisions.map((decision): Decision => {
    if (!isRemoval(decision) || !stays(decision)) return decision;
    return { action: 'keep', reason: 'not-selected', item: decision.item, sizeBytes: decision.sizeBytes };
  });
  return { ...plan, decisions };
}
