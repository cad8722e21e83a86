import type { Answer } from '../../client/api.ts';
import { ACTION_WORDS, REASON_WORDS } from '../../core/retention/words.ts';

export type Plan = Answer<'POST /api/plans'>;
export type Decision = Plan['decisions'][number];

export interface PlanGroup {
  readonly key: string;
  readonly action: string;
  readonly why: string;
  readonly forGood: boolean;
  readonly decisions: readonly Decision[];
  readonly sizeBytes: number;
}

/** What a plan does, by what and why: what goes for good first, then the largest. */
export function groupsOf(decisions: readonly Decision[]): PlanGroup[] {
  const found = new Map<string, Decision[]>();
  for (const decision of decisions) {
    const key = `${decision.action} ${decision.reason} ${String(isForGood(decision))}`;
    const group = found.get(key);
    if (group === undefined) found.set(key, [decision]);
    else group.push(decision);
  }
  const groups = [...found].flatMap(([key, members]) => groupOf(key, members));
  return groups.toSorted((a, b) => Number(b.forGood) - Number(a.forGood) || b.sizeBytes - a.sizeBytes);
}

export function isForGood(decision: Decision): boolean {
  return decision.action !== 'keep' && decision.forGood === true;
}

export function sizeOf(decisions: readonly Decision[]): number {
  return decisions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function groupOf(key: string, members: readonly Decision[]): PlanGroup[] {
  const [first] = members;
  if (first === undefined) return [];
  return [
    {
      key,
      action: ACTION_WORDS[first.action],
      why: reasonWords(first.reason),
      forGood: isForGood(first),
      decisions: members,
      sizeBytes: sizeOf(members),
    },
  ];
}

function reasonWords(reason: string): string {
  return (REASON_WORDS as Readonly<Record<string, string>>)[reason] ?? reason;
}
