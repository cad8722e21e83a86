import { Failure } from '../../core/failure.ts';
import type { Journal, Run } from '../../core/retention/run.ts';

/** The run with this whole id. */
export async function findRun(retention: { runs(): AsyncIterable<Run> }, id: string): Promise<Run> {
  for await (const run of retention.runs()) if (run.id === id) return run;
  throw noSuchRun(id);
}

/** The same from the journal, which need not be read through for it. */
export async function requireRun(journal: Pick<Journal, 'run'>, id: string): Promise<Run> {
  const run = await journal.run(id);
  if (run !== undefined) return run;
  throw noSuchRun(id);
}

/** The failure for an id that names no run. */
export function noSuchRun(id: string): Failure {
  return new Failure('not-found', `There is no run ${id}.`, { hint: 'List them with: coppice runs' });
}
