import type { HomeParts } from '../home-parts.ts';
import { ownHome } from '../home-path.ts';
import { dropPlansNaming } from './saved-plans.ts';

export interface EmptyOptions {
  /** Also forgets what the sessions were called: the ledger keeps what they used. */
  readonly forget?: boolean;
  /** Only because its time to undo is over. */
  readonly expired?: boolean;
}

/** Takes the names of what a run removed out of what is still said about it: the ledger, runs before, what was used, what can be searched, and plans that were saved. */
export async function forgetRun(parts: HomeParts, runId: string): Promise<void> {
  const { store, layout, foreign, forgetUsage, forgetWords } = parts;
  await store.ledgerBook.forgetNames(runId);
  const ids: string[] = [];
  for await (const { item } of store.journal.items(runId)) ids.push(item.id);
  await store.journal.forgetWords(ids);
  await forgetUsage?.(ids);
  await forgetWords?.(ids);
  dropPlansNaming(foreign === undefined ? layout.root : ownHome(), ids);
}
