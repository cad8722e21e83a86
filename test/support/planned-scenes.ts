import fc from 'fast-check';
import { expect } from 'vitest';
import type { Inventory, SessionItem } from '../../src/core/retention/inventory.ts';
import type { Decision, Plan, PlanRequest } from '../../src/core/retention/plan.ts';
import type { Policy, SessionRules } from '../../src/core/retention/policy.ts';
import { useOf } from '../../src/core/sessions/in-use.ts';
import { planRetention } from '../../src/policy/plan-retention.ts';
import { NOW } from './clock.ts';
import { anyDoubts, anyRequest, anyScene, anyTightScene, type Scene } from './scenes.ts';

/** What may be asked of any home, with and without doubts about it. */
export const anyAsked = fc.record({ scene: fc.oneof(anyScene, anyTightScene), request: anyRequest, doubts: anyDoubts });
export const anyAskedCalmly = fc.record({ scene: fc.oneof(anyScene, anyTightScene), request: anyRequest });

export function planOf({ inventory, policy }: Scene, request: PlanRequest = { kind: 'policy' }, now = NOW): Plan {
  return planRetention(inventory, { policy, now, request });
}

export const keyOf = ({ item }: Decision) => `${item.kind} ${item.id}`;
export const isGoing = ({ action }: Decision) => action !== 'keep';
export const isLeaving = ({ action }: Decision) => action === 'remove' || action === 'archive';
export const going = (plan: Plan) => new Set(plan.decisions.filter(isGoing).map(keyOf));

/** Each session with what becomes of it. */
export function sessionFates(plan: Plan, { sessions }: Inventory): (readonly [SessionItem, Decision])[] {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return plan.decisions.flatMap((decision) => {
    const session = decision.item.kind === 'session' ? byId.get(decision.item.id) : undefined;
    return session === undefined ? [] : [[session, decision] as const];
  });
}

/** Sessions by source and project. */
export function groupsOf(sessions: readonly SessionItem[]): ReadonlyMap<string, readonly SessionItem[]> {
  const keys = new Set(sessions.map(({ source, workdir }) => `${source} ${workdir}`));
  return new Map(
    [...keys].map((key) => [key, sessions.filter(({ source, workdir }) => `${source} ${workdir}` === key)]),
  );
}

/** The rules as written, for one source. */
export function rulesOf({ sessions, bySource }: Policy, source: string): SessionRules {
  return { ...sessions, ...(Object.hasOwn(bySource, source) ? bySource[source] : {}) };
}

/** Whether a conversation is one of those that `keepLast` counts, by the rules of all its sources. */
export function countsForFloor(members: readonly SessionItem[], policy: Policy): boolean {
  const messageCount = members.reduce((sum, member) => sum + member.messageCount, 0);
  const slight = members.every(({ source }) => {
    const { trivialMs, trivialMaxMessages } = rulesOf(policy, source);
    return messageCount === 0 || (trivialMs !== undefined && messageCount <= trivialMaxMessages);
  });
  const staysAnyway = members.some(
    (member) => useOf(member) !== undefined || member.unreadable === true || member.lastActiveAt > NOW,
  );
  const newest = members.toSorted((a, b) => a.lastActiveAt - b.lastActiveAt || (a.id < b.id ? -1 : 1)).at(-1);
  const removesAfterReset = members.every(({ source }) => rulesOf(policy, source).afterReset === 'remove');
  return !slight && !staysAnyway && !(newest?.reset === true && removesAfterReset);
}

export function expectSubset(smaller: ReadonlySet<string>, larger: ReadonlySet<string>): void {
  expect([...smaller].filter((key) => !larger.has(key))).toEqual([]);
}

export function withSessions(
  scene: Scene,
  change: (sessions: readonly SessionItem[]) => readonly SessionItem[],
): Scene {
  return { ...scene, inventory: { ...scene.inventory, sessions: change(scene.inventory.sessions) } };
}
