import type { Retention } from '../../app/retention.ts';
import { Failure } from '../../core/failure.ts';
import type { Run, RunItem, RunItemState } from '../../core/run.ts';

/** The items of a run, all of them or those in one state. */
export async function itemsOf(retention: Retention, runId: string, state?: RunItemState): Promise<RunItem[]> {
  const items: RunItem[] = [];
  for await (const item of retention.items(runId)) {
    if (state === undefined || item.state === state) items.push(item);
  }
  return items;
}

/** The run with this whole id. */
export async function findRun(retention: Retention, id: string): Promise<Run> {
  for await (const run of retention.runs()) if (run.id === id) return run;
  throw new Failure('not-found', `There is no run ${id}.`, { hint: 'List them with: coppice runs' });
}
