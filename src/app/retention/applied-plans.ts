import type { HomeMemory } from '../../core/stores/session-records.ts';
import type { EpochMs } from '../../core/time.ts';

const APPLIED = 'applied-plans';

/** Whether a plan with this id was carried out to its end. What an undo gave back must not go a second time by the same plan. */
export async function wasApplied(store: HomeMemory, id: string): Promise<boolean> {
  return (await recall(store)).some((applied) => applied.id === id);
}

/** Remembers a plan for as long as it could be applied. `since` is when the oldest plan that still could be was made. */
export async function rememberApplied(
  store: HomeMemory,
  { id, madeAt, since }: { id: string; madeAt: EpochMs; since: EpochMs },
): Promise<void> {
  const others = (await recall(store)).filter((applied) => applied.madeAt >= since);
  await store.setMeta(APPLIED, JSON.stringify([...others, { id, madeAt }]));
}

async function recall(store: HomeMemory): Promise<readonly { readonly id: string; readonly madeAt: EpochMs }[]> {
  return JSON.parse((await store.getMeta(APPLIED)) ?? '[]') as { id: string; madeAt: EpochMs }[];
}
