import { itemBytes, type SessionItem } from '../core/retention/inventory.ts';
import type { Decision, KeepReason } from '../core/retention/plan.ts';
import { partFingerprint } from '../core/stores/session-trash.ts';
import { type Lineage, membersOf } from './find-lineages.ts';
import type { Judged, JudgedItem } from './judge-inventory.ts';
import type { RuleContext } from './rule-context.ts';
import { droppedBytes, KEEP_RULES } from './session-rules.ts';

/**
 * One decision for every item. A conversation comes together, later parts first: should one of them turn out to stay, nothing
 * before it has gone yet.
 */
export function decisionsOf({ others, lineages, context }: Judged): Decision[] {
  const decisions = others.map(decideItem);
  for (const lineage of lineages) {
    for (const member of laterPartsFirst(lineage)) decisions.push(decideSession(member, lineage, context));
  }
  return decisions;
}

/** By their links rather than by their times, which a clock may have muddled. Links that run in a circle end up last. */
function laterPartsFirst(lineage: Lineage): Iterable<SessionItem> {
  const members = membersOf(lineage);
  if (members.length === 1) return members;
  const byId = new Map(members.map((member) => [member.id, member]));
  const before = ({ childKind, parentId = '' }: SessionItem) =>
    childKind === 'continuation' ? byId.get(parentId) : undefined;
  const unnamed = new Map<SessionItem | undefined, number>();
  for (const member of members) unnamed.set(before(member), (unnamed.get(before(member)) ?? 0) + 1);
  // A set goes on over what is added while it is gone through.
  const ordered = new Set(members.filter((member) => !unnamed.has(member)));
  for (const member of ordered) {
    const earlier = before(member);
    const left = (unnamed.get(earlier) ?? 0) - 1;
    unnamed.set(earlier, left);
    if (earlier !== undefined && left === 0) ordered.add(earlier);
  }
  for (const member of members) ordered.add(member);
  return ordered;
}

function decideItem({ item, rule, skipsTrash }: JudgedItem): Decision {
  const { kind, id, fingerprint } = item;
  const about = { item: { kind, id }, sizeBytes: item.sizeBytes };
  if (rule.action === 'keep') return { action: 'keep', reason: rule.reason, ...about };
  return { action: rule.action, reason: rule.reason, fingerprint, ...about, ...(skipsTrash && { skipsTrash }) };
}

export function decideSession(session: SessionItem, lineage: Lineage, context: RuleContext): Decision {
  const { kind, id } = session;
  const { rule, skipsTrash } = lineage;
  if (rule.action === 'keep') {
    const asked = KEEP_RULES.find(({ reason }) => reason === rule.reason);
    return keep(session, asked?.applies(session, lineage, context) === false ? asked.inLineage : rule.reason);
  }
  const drops = rule.action === 'drop-files' || rule.action === 'drop-dumps';
  const sizeBytes = drops ? droppedBytes(session, rule.action) : itemBytes(session);
  // Other members of the lineage may have files to drop where this one has none.
  if (drops && sizeBytes === 0) return keep(session, lineage.inFloor ? 'keep-last' : 'not-expired');
  const { action, reason } = rule;
  const alone = lineage.older === undefined;
  const fingerprint = alone ? session.fingerprint : partFingerprint(session.fingerprint, lineage.newest.lastActiveAt);
  return { item: { kind, id }, sizeBytes, action, reason, fingerprint, ...(skipsTrash && { skipsTrash }) };
}

function keep(session: SessionItem, reason: KeepReason): Decision {
  return { item: { kind: session.kind, id: session.id }, sizeBytes: itemBytes(session), action: 'keep', reason };
}
