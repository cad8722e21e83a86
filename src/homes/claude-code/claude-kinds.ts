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

/**
 * Whether a line begins with one of these kinds. Among them are the longest lines of all, requests as they were sent with the whole
 * prompt of the system.
 */
export function beginsSilent(line: string): boolean {
  if (!line.startsWith(TYPE_FIRST)) return false;
  return SILENT_KINDS.has(line.slice(TYPE_FIRST.length, line.indexOf('"', TYPE_FIRST.length)));
}

const TYPE_FIRST = '{"type":"';
