/** Kinds of lines in which nobody says anything: replay records, file history, counters, modes, what was attached to a prompt. */
export const SILENT_KINDS: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'content-replacement',
  'continued-in',
  'cost-state',
  'derived-from',
  'file-history-delta',
  'file-history-snapshot',
  'frame-link',
  'mode',
  'observer-ref',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'relocated',
  'resume-head-vouch',
  'tag',
  'tools-used',
  'worktree-state',
]);

/** The longest lines of all: requests as they were sent, with the whole prompt of the system. Known by how they begin. */
export function isReplayRecord(line: string): boolean {
  return line.startsWith('{"type":"api-request');
}
