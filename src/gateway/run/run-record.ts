import type { ProcessIdentity } from '../../core/sessions/lease-holder.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ReadRun } from '../readers/agent-reader.ts';

/** What a later start needs to find and end a run whose supervisor has died. */
export interface RunRecord {
  /** Made for this run, and in the environment of everything that it started. */
  readonly runId: string;
  readonly sessionId: string;
  /** Since when its session has been at work without a break: the start of this run, or of an earlier one that it overlaps. */
  readonly busySince?: EpochMs;
  readonly supervisor: ProcessIdentity;
  /** Its file of advice, which goes with it. */
  readonly advice?: string;
  /** Where the agent writes what it uses, for as long as nothing else counts that. */
  readonly reads?: ReadRun;
  /** The command, which leads the process group of its number. Absent until it has started. */
  readonly child?: ProcessIdentity;
}

/** Keeps the records of runs that have not ended. */
export interface RunRecords {
  /** Durable when it resolves. Called before the command is started and again after; the later record replaces the earlier. */
  save(record: RunRecord): Promise<void>;
  /** The run is over, and nothing of it is left. */
  remove(runId: string): Promise<void>;
}

/** The variable that holds the ids of the run and of the runs around it, so that what leaves its process group is still found. */
export const RUNS_VARIABLE = 'COPPICE_RUN_IDS';

/** Nothing else is looked for among the processes of a machine: less of an id would be found in those of others. */
export const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
