import { itemBytes } from '../core/inventory.ts';
import type { Decision } from '../core/plan.ts';
import { type Lineage, membersOf } from './find-lineages.ts';
import type { JudgedItem } from './judge-inventory.ts';
import { droppedBytes } from './session-rules.ts';

export type Subject = Lineage | JudgedItem;

/** What compression is assumed to leave of a session; the true figure shows only once it is archived. */
const ARCHIVED_PART = 1 / 5;

export interface Fate {
  readonly action: Decision['action'];
  readonly skipsTrash: boolean;
}

/** The bytes that a subject still takes after a fate. What goes into the trash takes as much there. */
export function bytesLeft(subject: Subject, { action, skipsTrash }: Fate): number {
  if (action === 'purge') return 0;
  const all = subjectBytes(subject);
  if (action === 'archive') return Math.ceil(all * ARCHIVED_PART);
  if (action === 'keep' || !skipsTrash) return all;
  if (action === 'remove') return 0;
  return 'newest' in subject
    ? all - membersOf(subject).reduce((sum, member) => sum + droppedBytes(member, action), 0)
    : all;
}

export function subjectBytes(subject: Subject): number {
  if ('item' in subject) return itemBytes(subject.item);
  let sum = 0;
  for (const member of membersOf(subject)) sum += itemBytes(member);
  return sum;
}
