import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OK, type Verdict } from '../../src/core/gateway/gateway.ts';
import type { RunEvent } from '../../src/gateway/run/output/run-event.ts';
import type { OutputChunk } from '../../src/gateway/run/output/run-sink.ts';
import type { RunRecord } from '../../src/gateway/run/run-record.ts';
import type { RunOptions } from '../../src/gateway/run/supervise-run.ts';
import { groupMembers, processesMarked } from '../../src/platform/machine/process-group.ts';
import { tempDir } from './temp-dir.ts';

export const AGENTS = join(import.meta.dirname, 'agents');

/** A line of shell to run. */
export const sh = (script: string) => ({ command: 'sh', args: ['-c', script] });

/** One of the agents that tests run. */
export const agent = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(AGENTS, name), ...args],
});

/** What a test knows of a run: everything its sink and its records were given, and what was shown. */
export interface RunCollector {
  readonly events: RunEvent[];
  readonly chunks: OutputChunk[];
  /** Each record that was saved, in order. */
  readonly saved: RunRecord[];
  readonly open: Map<string, RunRecord>;
  readonly options: Omit<RunOptions, 'command' | 'args'>;
  recorded(stream: OutputChunk['stream']): string;
  shown(stream: OutputChunk['stream']): Buffer;
  /** Processes of the run that still exist. */
  left(): readonly number[];
}

/** Options for a run in a directory of its own. `judge` gives the verdicts. */
export function collectRun(judge: (event: RunEvent) => Verdict = () => OK): RunCollector {
  const directory = tempDir();
  const events: RunEvent[] = [];
  const chunks: OutputChunk[] = [];
  const saved: RunRecord[] = [];
  const open = new Map<string, RunRecord>();
  const file = (stream: string): string => join(directory, stream);
  const [stdout, stderr] = ['stdout', 'stderr'].map((stream) => openSync(file(stream), 'w'));
  onTestFinished(() => [stdout, stderr].forEach((fd) => fd !== undefined && closeSync(fd)));
  return {
    events,
    chunks,
    saved,
    open,
    options: {
      cwd: directory,
      env: process.env,
      sessionId: 'session-1',
      sink: {
        event: async (event) => {
          events.push(event);
          return judge(event);
        },
        output: async (chunk) => {
          chunks.push(chunk);
          return OK;
        },
        check: async () => OK,
      },
      records: {
        save: async (record) => {
          saved.push(record);
          open.set(record.runId, record);
        },
        remove: async (runId) => void open.delete(runId),
      },
      io: { stdout: stdout ?? -1, stderr: stderr ?? -1 },
    },
    recorded: (stream) =>
      chunks
        .filter((chunk) => chunk.stream === stream)
        .map(({ text }) => text)
        .join(''),
    shown: (stream) => readFileSync(file(stream)),
    left: () =>
      saved.flatMap(({ runId, child }) => [
        ...processesMarked(runId).map(({ pid }) => pid),
        ...(child === undefined ? [] : groupMembers(child.pid).map(({ pid }) => pid)),
      ]),
  };
}
