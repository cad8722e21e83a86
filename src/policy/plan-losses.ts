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
  const losses = new Map<Decision['item']['kind'], Map<string, number>>();
  for (const decision of decisions) {
    if (decision.action === 'keep') continue;
    const { kind, id } = decision.item;
    const ofKind = losses.get(kind);
    if (ofKind === undefined) losses.set(kind, new Map([[id, lossOf(decision)]]));
    else ofKind.set(id, lossOf(decision));
  }
  return ({ item }) => losses.get(item.kind)?.get(item.id) ?? 0;
}
