import type { Problem } from '../../core/problem.ts';
import type { HomeMemory } from '../../core/stores/session-records.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';

/** Something that is done by the clock and that fails. */
export interface Trouble {
  /** What it is called in a sentence. */
  readonly name: string;
  readonly trouble: string;
  readonly at: EpochMs;
}

const KEY = 'troubles';

/** Keeps what fails where every process finds it. */
export function rememberTroubles(store: Pick<HomeMemory, 'setMeta'>, troubles: readonly Trouble[]): Promise<void> {
  return store.setMeta(KEY, JSON.stringify(troubles));
}

/** The same as problems for a person. */
export async function recallTroubles(store: Pick<HomeMemory, 'getMeta'>): Promise<readonly Problem[]> {
  return parse(await store.getMeta(KEY)).map(({ name, trouble, at }) => ({
    kind: 'chore-failing',
    subject: name,
    message: `There is trouble with ${name}, noted at ${isoTime(at)}: ${trouble}`,
    hint: 'It is tried again by itself. The log of coppice serve says more.',
  }));
}

function parse(text = '[]'): readonly Trouble[] {
  try {
    return JSON.parse(text) as readonly Trouble[];
  } catch {
    // Not ours any more: somebody else wrote to it.
    return [];
  }
}
