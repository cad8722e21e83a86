import {
  type CheckpointDiff,
  type CheckpointDiffOptions,
  diffOfSides,
  diffTextOfSides,
  refuseTwoFolders,
} from '../../../checkpoints/restore/diff-checkpoints.ts';
import type { CheckpointStore } from '../../../checkpoints/store/open-store.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import { adoptTarget, findHermesTarget, type HermesTarget } from './hermes-target.ts';
import { openLookingStore } from './looking-store.ts';

export interface ForeignDiff extends CheckpointDiffOptions {
  readonly home: string;
  readonly id: string;
}

/** The files in which a checkpoint of Hermes differs from another, or from what is there now. Leaves no trace. */
export async function diffForeign(parts: HermesCheckpointParts, request: ForeignDiff): Promise<CheckpointDiff> {
  const targets = await findTargets(parts, request);
  using looking = await openLookingStore(targets.from.storeOptions);
  const { files } = await diffOfSides(looking.store, await adoptBoth(looking.store, targets), request);
  return { from: targets.from.checkpoint, files, ...(targets.to && { to: targets.to.checkpoint }) };
}

/** The same as text, in pieces. */
export async function* diffForeignText(parts: HermesCheckpointParts, request: ForeignDiff): AsyncGenerator<string> {
  const targets = await findTargets(parts, request);
  using looking = await openLookingStore(targets.from.storeOptions);
  yield* diffTextOfSides(looking.store, await adoptBoth(looking.store, targets), request);
}

interface Targets {
  readonly from: HermesTarget;
  readonly to?: HermesTarget;
}

async function findTargets(parts: HermesCheckpointParts, { home, id, to: other }: ForeignDiff): Promise<Targets> {
  const from = await findHermesTarget(parts, home, id);
  if (other === undefined) return { from };
  const to = await findHermesTarget(parts, home, other);
  refuseTwoFolders(from.checkpoint, to.checkpoint);
  return { from, to };
}

async function adoptBoth(store: CheckpointStore, { from, to }: Targets) {
  const first = await adoptTarget(store, from);
  return { from: first, ...(to && { to: await adoptTarget(store, to) }) };
}
