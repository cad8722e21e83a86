import type { Decision, Plan } from '../core/retention/plan.ts';

const LOSS: Record<Decision['action'], number> = {
  keep: 0,
  'drop-dumps': 1,
  'drop-files': 2,
  archive: 3,
  remove: 4,
  purge: 5,
};

/** How much an item loses by a decision: files, its place outside the archive, everything. */
export function lossOf({ action }: Pick<Decision, 'action'>): number {
  return LOSS[action];
}

/** How much a plan takes of the same item; nothing where it does not know it. */
export function lossesIn({ decisions }: Plan): (decision: Decision) => number {
  const losses = new Map<string, number>();
  for (const decision of decisions) if (decision.action !== 'keep') losses.set(keyOf(decision), lossOf(decision));
  return (decision) => losses.get(keyOf(decision)) ?? 0;
}

function keyOf({ item }: Decision): string {
  return `${item.kind}\0${item.id}`;
}
