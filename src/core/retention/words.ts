import type { DiskPart } from './inventory.ts';
import type { KeepReason, RemoveReason } from './plan.ts';
import type { RunAction, RunItemRef, RunItemState } from './run.ts';

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

/** What a home takes on the disk, by what it is. */
export const CLASS_WORDS: Record<DiskPart, string> = {
  sessions: 'Sessions',
  strays: 'Files without a session',
  trash: 'Runs in the trash',
  archives: 'Archived sessions',
  checkpoints: 'Checkpoints',
  index: 'Search index and records',
  log: 'Log of the database',
  reserve: 'Reserve for a full disk',
  plans: 'Saved plans',
  audit: 'Audit log',
  search: 'Search index over other homes',
  caches: 'Caches',
  other: 'Settings and the rest',
};
