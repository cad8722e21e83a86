import { findProcess } from '../../platform/machine/find-process.ts';
import { processState } from '../../platform/machine/process-identity.ts';
import { removeAdviceFile } from './advice-file.ts';
import { endProcesses } from './end-processes.ts';
import { RUNS_VARIABLE, type RunRecord, type RunRecords } from './run-record.ts';

/** What became of a run that was still on record. */
export interface OrphanRun {
  readonly record: RunRecord;
  /**
   * `closed`: the supervisor had died, and nothing of the run is left. `running`: its supervisor is alive, or this process is itself
   * part of the run. `left`: some of its processes could not be ended. `elsewhere`: it belongs to another machine, container or boot, where nothing can be said of it.
   */
  readonly status: 'closed' | 'running' | 'left' | 'elsewhere';
  readonly endedProcesses: number;
  readonly leftPids: readonly number[];
}

export interface CloseOrphanRunsOptions {
  readonly records: Pick<RunRecords, 'remove'>;
  readonly stopGraceMs: number;
  /** Counts what the run has written down and nobody counted, before it is forgotten. Counting twice must be the same as once. */
  readonly countRest?: (record: RunRecord) => Promise<void>;
}

/** Closes the runs whose supervisor died: ends what is left of each, if it is certain to be that run, and forgets its record. */
export async function* closeOrphanRuns(
  recorded: Iterable<RunRecord>,
  { records, stopGraceMs, countRest }: CloseOrphanRunsOptions,
): AsyncGenerator<OrphanRun> {
  for (const record of recorded) {
    const run = await closeOrphanRun(record, stopGraceMs);
    if (run.status === 'closed') {
      await countRest?.(record);
      if (record.advice !== undefined) removeAdviceFile(record.advice);
      await records.remove(record.runId);
    }
    yield run;
  }
}

async function closeOrphanRun(record: RunRecord, graceMs: number): Promise<OrphanRun> {
  const supervisor = processState(record.supervisor);
  const ours = process.env[RUNS_VARIABLE]?.split(' ').includes(record.runId) === true;
  if (supervisor !== 'dead' || ours) {
    const status = supervisor === 'unknown' ? 'elsewhere' : 'running';
    return { record, status, endedProcesses: 0, leftPids: [] };
  }
  const group = certainGroup(record);
  const { count, leftPids } = await endProcesses({ runId: record.runId, graceMs, ...(group && { group }) });
  return { record, status: leftPids.length === 0 ? 'closed' : 'left', endedProcesses: count, leftPids };
}

/** The group is that of the run only while its leader is the very process that was started. */
function certainGroup({ child }: RunRecord): number | undefined {
  if (child === undefined || child.startedAt === '') return undefined;
  return findProcess(child.pid)?.startedAt === child.startedAt ? child.pid : undefined;
}
