import type { RunItem } from '../core/retention/run.ts';

/** Where an item is once it is carried out. Emptied trash is not in the trash of its run: it is gone. */
export function stateAfter({ item, action }: RunItem): 'trashed' | 'archived' | 'purged' {
  if (item.kind === 'trash') return 'purged';
  return action === 'archive' ? 'archived' : 'trashed';
}

/** Why an item stays of which the driver said nothing: only what it says is done counts as done. */
export const NOT_REACHED = 'It was not reached.';
