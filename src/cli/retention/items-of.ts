import type { AppRetention } from '../../app/app.ts';
import type { RunItem, RunItemState } from '../../core/retention/run.ts';

/** The items of a run, all of them or those in some states. */
export async function itemsOf(
  retention: Pick<AppRetention, 'items'>,
  runId: string,
  ...states: readonly RunItemState[]
): Promise<RunItem[]> {
  const items: RunItem[] = [];
  for await (const item of retention.items(runId)) {
    if (states.length === 0 || states.includes(item.state)) items.push(item);
  }
  return items;
}
