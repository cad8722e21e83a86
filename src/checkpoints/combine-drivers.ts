import type { HomeDriver } from '../core/retention/home-driver.ts';
import type { Inventory } from '../core/retention/inventory.ts';
import { done, skip } from '../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../core/retention/run.ts';
import type { CheckpointDriver } from './checkpoint-driver.ts';

type Mover = Pick<HomeDriver, 'discard' | 'restore' | 'purge'>;

export interface DriverParts {
  readonly native: HomeDriver;
  /** The driver of checkpoints, while there is a store of them. */
  readonly checkpoints: () => CheckpointDriver | undefined;
  /** Strays that are for the driver of checkpoints too, by their ids. */
  readonly ownsStray?: (id: string) => boolean;
  /** Undoes restores: of files, and of conversations. */
  readonly worktree: Mover;
  /** Adds what the store of checkpoints holds. */
  readonly withCheckpoints: (inventory: Inventory) => Promise<Inventory>;
}

/** One driver for all that a home holds: each item goes to the one that knows its kind. */
export function combineDrivers(parts: DriverParts): HomeDriver {
  const { native, checkpoints, worktree, withCheckpoints, ownsStray } = parts;
  const moverOf = ({ kind, id }: RunItem['item']): Mover => {
    if (kind === 'worktree' || kind === 'conversation') return worktree;
    const isOurs = kind === 'checkpoint' || (kind === 'orphan' && ownsStray?.(id) === true);
    return isOurs ? (checkpoints() ?? NO_STORE) : native;
  };
  const send = (step: keyof Mover) => async (runId: string, items: readonly RunItem[]) => {
    const byMover = new Map<Mover, RunItem[]>();
    for (const item of items) {
      const mover = moverOf(item.item);
      const group = byMover.get(mover);
      if (group === undefined) byMover.set(mover, [item]);
      else group.push(item);
    }
    const outcomes: ItemOutcome[] = [];
    for (const [mover, group] of byMover) outcomes.push(...(await mover[step](runId, group)));
    return outcomes;
  };
  return {
    scan: async (options) => withCheckpoints(await native.scan(options)),
    discard: send('discard'),
    restore: send('restore'),
    purge: send('purge'),
    giveBack: async (options) => (await native.giveBack(options)) + ((await checkpoints()?.giveBack()) ?? 0),
  };
}

const skipAll = async (_: string, items: readonly RunItem[]): Promise<readonly ItemOutcome[]> =>
  items.map((item) => skip(item, 'The checkpoint store is not there.'));

/** Somebody removed the store: nothing of it can be moved, and what was to be purged is gone. */
const NO_STORE: Mover = {
  discard: skipAll,
  restore: skipAll,
  purge: async (_, items) => items.map(done),
};
