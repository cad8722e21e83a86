import type { Retention } from '../../app/retention.ts';
import { Failure } from '../../core/failure.ts';
import type { Run, RunItem, RunItemState } from '../../core/run.ts';

type Runs = Pick<Retention, 'runs' | 'items'>;

/** The items of a run, all of them or those in some states. */
export async function itemsOf(retention: Runs, runId: string, ...states: readonly RunItemState[]): Promise<RunItem[]> {
  const items: RunItem[] = [];
  for await (const item of retention.items(runId)) {
    if (states.length === 0 || states.includes(item.state)) items.push(item);
  }
  return items;
}

/** The run with this whole id. */
export async function findRun(retention: Runs, id: string): Promise<Run> {
  for await (const run of retention.runs()) if (run.id === id) return run;
  throw new Failure('not-found', `There is no run ${id}.`, { hint: 'List them with: coppice runs' });
}
