import { performance } from 'node:perf_hooks';
import {
  groupMembers,
  processesMarked,
  type RunningProcess,
  signalGroup,
  signalProcess,
} from '../../platform/machine/process-group.ts';
import { wait } from '../../platform/machine/wait.ts';
import { RUN_ID } from './run-record.ts';

export interface EndProcessesOptions {
  /** In the environment of every process of the run. */
  readonly runId: string;
  /** The process group of the run, where it is certain that the number still means it. */
  readonly group?: number;
  /** The group was asked before. To many programs, being asked twice means: at once. */
  readonly groupAsked?: boolean;
  /** How long they may take to end by themselves. */
  readonly graceMs: number;
  /** Aborted when nobody wants to wait any longer. */
  readonly killSignal?: AbortSignal;
}

export interface EndedProcesses {
  readonly count: number;
  /** Those that are still there. */
  readonly leftPids: readonly number[];
}

const POLL_MS = 20;
/** A killed process is gone at once, unless the kernel is busy on its behalf. */
const KILL_WAIT_MS = 5000;

/** Ends whatever is left of a run: asks first, then kills, and looks again until nothing is found. */
export async function endProcesses(options: EndProcessesOptions): Promise<EndedProcesses> {
  const { runId, graceMs, killSignal, groupAsked = false } = options;
  let { group } = options;
  const asked = new Set<number>(groupAsked && group !== undefined ? groupMembers(group).map(({ pid }) => pid) : []);
  const graceUntil = performance.now() + graceMs;
  const giveUpAt = graceUntil + KILL_WAIT_MS;
  for (;;) {
    const members = group === undefined ? [] : groupMembers(group);
    // The number of an empty group may be given to another.
    if (members.length === 0) group = undefined;
    const found = withMarked(members, runId);
    if (found.length === 0 || performance.now() > giveUpAt) {
      return { count: asked.size, leftPids: found.map(({ pid }) => pid) };
    }
    const kill = killSignal?.aborted === true || performance.now() >= graceUntil;
    if (kill && group !== undefined) signalGroup(group, 'SIGKILL');
    for (const process of found) {
      if (kill || !asked.has(process.pid)) signalProcess(process, kill ? 'SIGKILL' : 'SIGTERM');
      asked.add(process.pid);
    }
    await wait(POLL_MS);
  }
}

/** Together with those that have left the group. */
function withMarked(members: readonly RunningProcess[], runId: string): readonly RunningProcess[] {
  const known = new Set(members.map(({ pid }) => pid));
  if (!RUN_ID.test(runId)) return members;
  return [...members, ...processesMarked(runId).filter(({ pid }) => !known.has(pid))];
}
