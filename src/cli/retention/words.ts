import { shortId } from '../../core/retention/checkpoint.ts';
import type { KeepReason, RemoveReason } from '../../core/retention/plan.ts';
import type { RunAction, RunItemRef, RunItemState, RunRequest } from '../../core/retention/run.ts';
import {
  FILTER_NAMES,
  type FilterName,
  type FilterValue,
  type SessionFilter,
} from '../../core/sessions/session-filters.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import { ofEachFilteredFact } from '../../core/sessions/word-facts.ts';
import { COPYING_AGENTS } from '../../homes/kinds.ts';
import { formatDate, plural } from '../format.ts';

/** Why something stays or goes, as a short phrase about it. The one place where reasons become words. */
export const REASON_WORDS: Record<KeepReason | RemoveReason, string> = {
  active: 'in use',
  routed: 'answers a route',
  open: 'still open',
  'report-only': 'only its agent knows its shape',
  'through-owner': 'only its agent can remove it',
  referenced: 'another session needs it',
  pinned: 'pinned',
  'lineage-active': 'its conversation is in use',
  'lineage-pinned': 'its conversation is pinned',
  'lineage-kept': 'its conversation stays',
  future: 'dated in the future',
  unreadable: 'cannot be read in full',
  young: 'too young',
  doubt: 'clock or use in doubt',
  tagged: 'has a tag that is kept',
  'keep-last': 'among the newest of its project',
  needed: 'needed to undo a restore',
  unreachable: 'its folder cannot be reached now',
  'in-grace': 'can still be undone',
  'not-selected': 'not asked for',
  'not-expired': 'no rule lets it go',
  named: 'asked for',
  selected: 'matches what you asked for',
  retention: 'past its retention',
  'transcript-retention': 'transcript past its retention',
  'archive-age': 'old enough for the archive',
  'archive-retention': 'archived long enough',
  empty: 'without messages',
  trivial: 'only a few messages',
  'after-reset': 'its conversation was started afresh',
  'transcript-after-reset': 'transcript from before a reset',
  'max-sessions': 'more sessions than allowed',
  'max-snapshots': 'more checkpoints than allowed',
  gone: 'its folder was removed',
  'said-gone': 'you said that its folder is gone',
  stale: 'its folder was not used for long',
  'least-used': 'space is short, its folder unused',
  orphan: 'belongs to no session',
  debris: 'left by an interrupted write',
  'dump-age': 'request dumps past their retention',
  'trash-expired': 'time to undo is over',
  'trash-size': 'the trash is too large',
  pressure: 'space is short',
};

/** What a person can do about a session that only its agent may take away. */
export function holdSentence(hold: SessionHold): string {
  if (hold.kind === 'report-only') return 'Coppice shows it and changes nothing about it. Remove it with its agent.';
  if (hold.kind === 'through-owner') return `Remove it with the command of its agent: ${hold.command}`;
  return `The session ${hold.by} needs it, and it is free once that one is gone.`;
}

/** What stands where a session has its title. */
export const KIND_WORDS: Record<RunItemRef['kind'], string> = {
  session: '',
  orphan: 'files without a session',
  debris: 'leftover of a write',
  trash: 'trash of an earlier run',
  archive: 'archived session',
  checkpoint: 'checkpoint',
  worktree: 'files of a folder',
  conversation: 'conversation',
};

/** What a plan does to an item. */
export const ACTION_WORDS: Record<RunAction | 'keep', string> = {
  keep: 'keep',
  remove: 'remove',
  archive: 'archive',
  'drop-files': 'drop files',
  'drop-dumps': 'drop dumps',
  purge: 'purge',
  'take-back': 'take back',
};

export const STATE_WORDS: Record<RunItemState, string> = {
  intended: 'not finished',
  trashed: 'in the trash',
  archived: 'archived',
  skipped: 'skipped',
  undoing: 'not finished',
  restored: 'given back',
  purging: 'not finished',
  purged: 'gone for good',
};

/** What each filter says. */
const FILTER_WORDS: { readonly [Name in FilterName]: (value: FilterValue<Name>) => string } = {
  source: (source) => `source ${source}`,
  minMessages: (count) => `at least ${plural(count, 'message')}`,
  maxMessages: (count) => `at most ${plural(count, 'message')}`,
  title: (title) => `title ${title}`,
  workdir: (folder) => `in ${folder}`,
  project: (folder) => `in ${folder} or below`,
  model: (model) => `model ${model}`,
  tags: (tags) => `tagged ${tags.join(' and ')}`,
  pinned: (pinned) => (pinned ? 'pinned' : 'not pinned'),
  endedBy: (reason) => `ended by ${reason}`,
  minTokens: (count) => `at least ${plural(count, 'token')}`,
  maxTokens: (count) => `at most ${plural(count, 'token')}`,
  minCostUsd: (usd) => `at least $${usd}`,
  maxCostUsd: (usd) => `at most $${usd}`,
  ...ofEachFilteredFact((_, fact) => (word: string) => `${fact} ${word}`),
};

function filterWords(filter: SessionFilter): string[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    // The words of a filter take what is given for it, by the types of both.
    return value === undefined ? [] : [(FILTER_WORDS[name] as (value: unknown) => string)(value)];
  });
}

/** What was asked for, in a few words: the name of the command and what it was limited to. */
export function requestWords(request: RunRequest): string {
  if (request.kind === 'policy') return 'by the rules';
  if (request.kind === 'delete') return `delete ${plural(request.ids.length, 'session')}`;
  if (request.kind === 'restore-checkpoint')
    return `restore of checkpoint ${shortId(request.checkpointId)} in ${request.workdir}`;
  if (request.kind === 'checkpoints') return 'limits of checkpoints';
  if (request.kind === 'clear-checkpoints' && request.gone !== undefined) return `checkpoints of ${request.gone}`;
  if (request.kind === 'clear-checkpoints' && request.unreachable) return 'checkpoints of folders out of reach';
  if (request.kind === 'clear-checkpoints') return 'clear checkpoints';
  if (request.kind === 'clear-legacy') return 'clear checkpoints in layouts of before';
  if (request.kind === 'clear-copies')
    return `copies that ${COPYING_AGENTS} put aside, older than ${formatDate(request.before)}`;
  const limits = [
    'before' in request && request.before !== undefined && `older than ${formatDate(request.before)}`,
    'after' in request && request.after !== undefined && `newer than ${formatDate(request.after)}`,
    request.kind === 'prune' && request.part === 'files' && 'files only',
    ...filterWords(request.filter),
  ];
  return [request.kind, ...limits.filter((limit) => limit !== false)].join(', ');
}
