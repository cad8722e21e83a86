import { itemBytes, type SessionItem } from '../core/inventory.ts';
import type { Decision, KeepReason } from '../core/plan.ts';
import type { Judged, JudgedItem, JudgedLineage } from './judge-inventory.ts';
import type { RuleContext } from './rule-context.ts';
import { droppedBytes } from './session-rules.ts';

/** One decision for every item. */
export function decisionsOf({ others, sessions, verdicts, context }: Judged): Decision[] {
  const decisions = others.map(decideItem);
  sessions.forEach((session, at) => {
    const verdict = verdicts[at];
    if (verdict !== undefined) decisions.push(decideSession(session, verdict, context));
  });
  return decisions;
}

function decideItem({ item, rule, skipsTrash }: JudgedItem): Decision {
  const { kind, id, fingerprint } = item;
  const about = { item: { kind, id }, sizeBytes: item.sizeBytes };
  if (rule.action === 'keep') return { ...about, action: 'keep', reason: rule.reason };
  return { ...about, action: rule.action, reason: rule.reason, fingerprint, ...(skipsTrash && { skipsTrash }) };
}

function decideSession(
  session: SessionItem,
  { lineage, rule, skipsTrash }: JudgedLineage,
  context: RuleContext,
): Decision {
  const { kind, id, fingerprint } = session;
  if (rule.action === 'keep') {
    return keep(session, rule.applies(session, lineage, context) ? rule.reason : rule.inLineage);
  }
  const drops = rule.action === 'drop-files' || rule.action === 'drop-dumps';
  const sizeBytes = drops ? droppedBytes(session, rule.action) : itemBytes(session);
  // Other members of the lineage may have files to drop where this one has none.
  if (drops && sizeBytes === 0) return keep(session, lineage.inFloor ? 'keep-last' : 'not-expired');
  const { action, reason } = rule;
  return { item: { kind, id }, sizeBytes, action, reason, fingerprint, ...(skipsTrash && { skipsTrash }) };
}

function keep(session: SessionItem, reason: KeepReason): Decision {
  return { item: { kind: session.kind, id: session.id }, sizeBytes: itemBytes(session), action: 'keep', reason };
}
