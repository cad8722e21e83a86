import type { Outcome, RunAction } from '../../core/retention/run.ts';
import { formatBytes, formatCount, plural } from '../print/format.ts';
import { safeText } from '../print/safe-text.ts';

const SKIPPED_SHOWN = 10;

/**
 * What was done, one line for each kind of thing. For what was given back, `removedBy` says how it had been removed: its
 * files may be all that came back.
 */
export function doneLines(outcomes: readonly Outcome[], removedBy?: (outcome: Outcome) => RunAction): string[] {
  const sums = new Map<string, { kind: Kind; items: number; sizeBytes: number }>();
  for (const outcome of outcomes) {
    if (outcome.status !== 'done') continue;
    const kind = kindOf(outcome);
    const forGood = outcome.forGood === true ? ' FOR GOOD' : '';
    const key = `${verbOf(outcome, removedBy?.(outcome))}\n${kind}\n${forGood}`;
    const { items, sizeBytes } = sums.get(key) ?? { items: 0, sizeBytes: 0 };
    sums.set(key, { kind, items: items + 1, sizeBytes: sizeBytes + outcome.sizeBytes });
  }
  return Array.from(sums, ([key, { kind, items, sizeBytes }]) => {
    // Working directories and conversations have no size of their own here.
    const size = kind === 'worktree' || kind === 'conversation' ? '' : ` (${formatBytes(sizeBytes)})`;
    const [verb, , forGood] = key.split('\n');
    return `${verb} ${formatCount(items)} ${NOUNS[kind][items === 1 ? 0 : 1]}${size}${forGood}.`;
  });
}

/** What was left alone, each with its reason. A reason that several in a row share is said once, below them. */
export function skippedLines(outcomes: readonly Outcome[]): string[] {
  const skipped = outcomes.filter(({ status }) => status === 'skipped');
  if (skipped.length === 0) return [];
  const shown = skipped.slice(0, SKIPPED_SHOWN);
  const lines = shown.flatMap(({ item, detail }, index) => {
    const next = shown[index + 1];
    const saidBelow = next !== undefined && next.detail === detail;
    return [`  ${safeText(item.id)}`, ...(saidBelow ? [] : [`    ${safeText(detail ?? '')}`])];
  });
  const more = skipped.length - SKIPPED_SHOWN;
  return [
    `Skipped ${plural(skipped.length, 'item')}:`,
    ...lines,
    ...(more > 0 ? [`  … and ${formatCount(more)} more`] : []),
  ];
}

type Kind = Outcome['item']['kind'] | 'legacy';

/** Checkpoints in layouts of before are files without a session, and more than that. */
function kindOf({ item: { kind, id } }: Outcome): Kind {
  return kind === 'orphan' && id.startsWith('checkpoints/') ? 'legacy' : kind;
}

const NOUNS: Record<Kind, readonly [one: string, many: string]> = {
  session: ['session', 'sessions'],
  orphan: ['file or folder without a session', 'files and folders without a session'],
  legacy: ['folder of older checkpoints', 'folders of older checkpoints'],
  debris: ['leftover of an interrupted write', 'leftovers of interrupted writes'],
  trash: ['earlier run', 'earlier runs'],
  archive: ['archived session', 'archived sessions'],
  checkpoint: ['checkpoint', 'checkpoints'],
  worktree: ['folder as it was before', 'folders as they were before'],
  conversation: ['conversation as it was before', 'conversations as they were before'],
};

function verbOf({ item, action }: Outcome, removedBy: RunAction | undefined): string {
  const verb = removedBy === undefined ? 'Removed' : 'Gave back';
  const what = removedBy ?? action;
  if (what === 'drop-files') return `${verb} the files of`;
  if (what === 'drop-dumps') return `${verb} the request dumps of`;
  if (what === 'archive') return removedBy === undefined ? 'Archived' : 'Restored';
  return item.kind === 'trash' ? 'Emptied the trash of' : verb;
}
