import { type SessionFacts, totalTokens } from '../../core/sessions/session.ts';
import { isoTime } from '../../core/time.ts';

/** The facts that head a session in exports for people, as name and value. */
export function sessionSummary(facts: SessionFacts): readonly (readonly [name: string, value: string])[] {
  const { endedAt, endReason, usage } = facts;
  const rows: (readonly [string, string | undefined])[] = [
    ['Session', facts.id],
    ['Source', facts.source],
    ['Route', facts.routeKey],
    ['Parent', facts.parentId && `${facts.parentId} (${facts.childKind ?? 'child'})`],
    ['Model', facts.model],
    ['Folder', facts.workdir],
    ['Tags', facts.tags.join(', ') || undefined],
    ['Started', isoTime(facts.startedAt)],
    ['Last active', isoTime(facts.lastActiveAt)],
    ['Ended', endedAt === undefined ? undefined : `${isoTime(endedAt)}${endReason ? ` (${endReason})` : ''}`],
    ['Messages', String(facts.messageCount)],
    ['Tokens', totalTokens(usage) === 0 ? undefined : String(totalTokens(usage))],
    ['Cost', usage.costUsd === 0 ? undefined : `${usage.costUsd} USD`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** What a session is called where it needs a heading. */
export function sessionHeading(facts: SessionFacts): string {
  return facts.title ?? `Session ${facts.id}`;
}
