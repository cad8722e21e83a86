import { type Lineage, membersOf } from '../find-lineages.ts';
import type { Judged, JudgedItem } from '../judge-inventory.ts';
import { lossOf } from '../plan-losses.ts';
import type { Removal } from '../verdict.ts';
import type { Subject } from './bytes-left.ts';

/** One thing to give up, and as what. */
export interface Way {
  readonly subject: Subject;
  readonly rule: Removal;
  /** With its way back. */
  readonly skipsTrash?: boolean;
}

/**
 * Everything that may be given up for space, in order, each stage oldest first: request dumps, transcripts of ended subagents and
 * cron, the place outside the archive, and last of all sessions, live or archived. Expired trash and debris go by their own
 * rules and are counted before.
 */
export function* waysToGiveUp({ others, lineages }: Judged, source?: string): Generator<Way> {
  const free = lineages.filter(
    (lineage) => isFree(lineage) && (source === undefined || lineage.newest.source === source),
  );
  const removable = free.filter(({ inFloor }) => !inFloor);
  const archives = others.filter((judged) => isFreeArchive(judged, source));
  const oldestFirst = [...archives, ...removable].toSorted((a, b) => lastActiveAt(a) - lastActiveAt(b));
  yield* stronger(free, DROP_DUMPS);
  yield* stronger(free.filter(isBackground), DROP_FILES);
  yield* stronger(removable, ARCHIVE);
  yield* stronger(oldestFirst, REMOVE);
}

/** What can be undone and need not be: what is in the trash, oldest first, and then what this plan puts there. */
export function* waysToLoseUndo({ others, lineages }: Judged): Generator<Way> {
  for (const subject of others) if (isFreeTrash(subject)) yield { subject, rule: PURGE };
  for (const subject of [...others, ...lineages]) {
    const { rule } = subject;
    if (rule.action === 'keep' || rule.action === 'archive' || rule.action === 'purge') continue;
    yield { subject, rule, skipsTrash: true };
  }
}

const PURGE: Removal = { action: 'purge', reason: 'pressure' };
const DROP_DUMPS: Removal = { action: 'drop-dumps', reason: 'pressure' };
const DROP_FILES: Removal = { action: 'drop-files', reason: 'pressure' };
const ARCHIVE: Removal = { action: 'archive', reason: 'pressure' };
const REMOVE: Removal = { action: 'remove', reason: 'pressure' };

/** Only what takes more than was decided so far: pressure never softens a verdict. */
function* stronger(subjects: readonly Subject[], rule: Removal): Generator<Way> {
  for (const subject of subjects) {
    if (lossOf(rule) > lossOf(subject.rule)) yield { subject, rule };
  }
}

/** It can still be undone, and nothing but that speaks for keeping it. */
export function isFreeTrash({ item, rule }: JudgedItem): boolean {
  return item.kind === 'trash' && (rule.reason === 'in-grace' || rule.reason === 'doubt');
}

function isFreeArchive({ item, rule }: JudgedItem, source: string | undefined): boolean {
  // One that is kept elsewhere frees nothing here.
  if (item.kind !== 'archive' || item.sizeBytes === 0 || (source !== undefined && item.source !== source)) return false;
  return rule.reason === 'not-expired' || rule.reason === 'doubt';
}

/** No hold and no tag keeps it. Under a suspect clock, size still counts where age does not. */
function isFree({ rule }: Lineage): boolean {
  return (
    rule.action !== 'keep' || rule.reason === 'not-expired' || rule.reason === 'keep-last' || rule.reason === 'doubt'
  );
}

function isBackground(lineage: Lineage): boolean {
  return membersOf(lineage).every(
    ({ source, childKind }) => source === 'cron' || source === 'subagent' || childKind === 'subagent',
  );
}

function lastActiveAt(subject: Subject): number {
  if ('newest' in subject) return subject.newest.lastActiveAt;
  return subject.item.kind === 'archive' ? subject.item.lastActiveAt : 0;
}
