import { type Inventory, itemBytes } from '../../core/retention/inventory.ts';
import type { Decision } from '../../core/retention/plan.ts';
import { type Lineage, membersOf } from '../find-lineages.ts';
import type { JudgedItem } from '../judge-inventory.ts';
import { droppedBytes } from '../session-rules.ts';

export type Subject = Lineage | JudgedItem;

/** What compression is assumed to leave of a session; the true figure shows only once it is archived. */
export const ARCHIVED_PART = 1 / 5;

export interface Fate {
  readonly action: Decision['action'];
  readonly skipsTrash: boolean;
}

/**
 * How much of the search index and the rest of the database goes along with each byte of messages. Not more than this: a ledger and
 * a journal that are larger than all messages stay.
 */
const MOST_ALONG = 3;

/** What goes along with each byte of rows, those in the trash included, as far as the scan knows. */
export function indexPart({
  sessions,
  trash,
  disk: { parts },
}: Pick<Inventory, 'sessions' | 'trash' | 'disk'>): number {
  if (parts === undefined) return 0;
  const live = sessions.reduce((sum, { bytes }) => sum + bytes.rows, 0);
  const rows = trash.reduce((sum, { rows: hidden = 0 }) => sum + hidden, live);
  return rows === 0 ? 0 : Math.min(MOST_ALONG, parts.index / rows);
}

/** The bytes that a subject still takes after a fate. What goes into the trash takes as much there. */
export function bytesLeft(subject: Subject, { action, skipsTrash }: Fate, alongEach = 0): number {
  if (action === 'purge') return 0;
  if (action === 'archive') return Math.ceil(subjectBytes(subject) * ARCHIVED_PART);
  const all = subjectBytes(subject, alongEach);
  if (action === 'keep' || !skipsTrash) return all;
  if (action === 'remove') return 0;
  return 'newest' in subject
    ? all - membersOf(subject).reduce((sum, member) => sum + droppedBytes(member, action), 0)
    : all;
}

/** All that a subject takes, with what goes along with each byte of its rows. */
export function subjectBytes(subject: Subject, alongEach = 0): number {
  if ('item' in subject) return itemBytes(subject.item) + Math.floor(rowsInTrash(subject) * alongEach);
  let sum = 0;
  for (const member of membersOf(subject)) sum += itemBytes(member) + Math.floor(member.bytes.rows * alongEach);
  return sum;
}

function rowsInTrash({ item }: JudgedItem): number {
  return item.kind === 'trash' ? (item.rows ?? 0) : 0;
}
