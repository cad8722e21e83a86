import type { Decision } from '../core/plan.ts';
import type { Subject } from './bytes-left.ts';
import { type Lineage, membersOf } from './find-lineages.ts';
import type { Judged, JudgedItem } from './judge-inventory.ts';
import type { Removal } from './verdict.ts';

/** One thing to give up, and as what. */
export interface Way {
  readonly subject: Subject;
  readonly rule: Removal;
}

/**
 * Everything that may be given up for space, in order, each stage oldest first: trash, then the wait in the trash of what goes
 * anyway, request dumps, transcripts of ended subagents and cron, the place outside the archive, and last of all sessions,
 * live or archived. Expired trash and debris go by their own rules and are counted before. Trash belongs to no source.
 */
export function* waysToGiveUp({ others, lineages }: Judged, source?: string): Generator<Way> {
  if (source === undefined) {
    for (const subject of others) if (isFreeTrash(subject)) yield { subject, rule: PURGE };
    for (const subject of [...others, ...lineages]) {
      if (subject.rule.action !== 'keep') yield { subject, rule: subject.rule };
    }
  }
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

const PURGE: Removal = { action: 'purge', reason: 'pressure' };
const DROP_DUMPS: Removal = { action: 'drop-dumps', reason: 'pressure' };
const DROP_FILES: Removal = { action: 'drop-files', reason: 'pressure' };
const ARCHIVE: Removal = { action: 'archive', reason: 'pressure' };
const REMOVE: Removal = { action: 'remove', reason: 'pressure' };

const STRENGTH: Record<Decision['action'], number> = {
  keep: 0,
  'drop-dumps': 1,
  'drop-files': 2,
  archive: 3,
  remove: 4,
  purge: 5,
};

/** Only what takes more than was decided so far: pressure never softens a verdict. */
function* stronger(subjects: readonly Subject[], rule: Removal): Generator<Way> {
  for (const subject of subjects) {
    if (STRENGTH[rule.action] > STRENGTH[subject.rule.action]) yield { subject, rule };
  }
}

function isFreeTrash({ item, rule }: JudgedItem): boolean {
  return item.kind === 'trash' && (rule.reason === 'in-grace' || rule.reason === 'doubt');
}

function isFreeArchive({ item, rule }: JudgedItem, source: string | undefined): boolean {
  if (item.kind !== 'archive' || (source !== undefined && item.source !== source)) return false;
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
