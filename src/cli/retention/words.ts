import { shortId } from '../../core/retention/checkpoint.ts';
import type { RunRequest } from '../../core/retention/run.ts';
import {
  FILTER_NAMES,
  type FilterName,
  type FilterValue,
  type SessionFilter,
} from '../../core/sessions/session-filters.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import { ofEachFilteredFact } from '../../core/sessions/word-facts.ts';
import { COPYING_AGENTS } from '../../homes/kinds.ts';
import { formatDate, plural } from '../print/format.ts';

/** What a person can do about a session that only its agent may take away. */
export function holdSentence(hold: SessionHold): string {
  if (hold.kind === 'report-only') return 'Coppice shows it and changes nothing about it. Remove it with its agent.';
  if (hold.kind === 'through-owner') return `Remove it with the command of its agent: ${hold.command}`;
  return `The session ${hold.by} needs it, and it is free once that one is gone.`;
}

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
