import type { Outcome } from '../../core/retention/run.ts';
import type { RecoveredRun } from '../../engine/recover-runs.ts';

/** What recovery gave back that somebody had asked for: of one run, of these ids. What could not be is tried again by who asks. */
export function givenBackBy(
  recovered: readonly RecoveredRun[],
  { runId, ids }: { readonly runId?: string; readonly ids?: readonly string[] },
): readonly Outcome[] {
  const runs = recovered.filter((each) => runId === undefined || each.runId === runId);
  const back = runs.flatMap(({ givenBack }) => givenBack).filter(({ status }) => status === 'done');
  return ids === undefined ? back : back.filter(({ item }) => ids.includes(item.id));
}
