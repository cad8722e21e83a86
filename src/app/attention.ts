import { formatBytes, formatDate, plural } from '../core/format.ts';
import { shortfallSentence } from '../core/retention/shortfall-sentence.ts';
import { waitingSentence } from '../core/retention/waiting-words.ts';
import type { Problem } from '../core/problem.ts';
import type { Waiting } from '../core/retention/maintenance.ts';
import type { Shortfall } from '../core/retention/plan.ts';
import type { EpochMs } from '../core/time.ts';
import type { Amount } from './documents/plan-document.ts';

/** What needs a person. */
export const ATTENTION_KINDS = [
  'disk-short',
  'out-of-reach',
  'damaged',
  'warned',
  'nearly-full',
  'waiting',
  'held',
  'oversized',
  'can-go',
] as const;

export interface Attention {
  readonly kind: (typeof ATTENTION_KINDS)[number];
  /** A sentence about it. */
  readonly says: string;
  /** The one thing to do about it, as it is typed. */
  readonly command: string;
}

/** What of the status it is decided by. */
export interface AttentionFacts {
  readonly disk: { readonly usedBytes: number; readonly freeBytes: number; readonly maxBytes?: number };
  readonly shortfalls: readonly Shortfall[];
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  readonly oversized: readonly unknown[];
  readonly classes: readonly { readonly reclaimable: Amount }[];
  readonly waiting?: Waiting;
  readonly heldSince?: EpochMs;
  readonly nextMaintenanceAt?: EpochMs;
}

const NEARLY_FULL = 0.9;

/** Everything that needs a person, the most urgent first; nothing when all is well. */
export function attentionOf(
  status: AttentionFacts,
  { minFreeBytes }: { readonly minFreeBytes: number | undefined },
): Attention[] {
  const { disk, shortfalls, problems, notes } = status;
  const found: Attention[] = [];
  const add = (kind: Attention['kind'], says: string, command: string) => found.push({ kind, says, command });
  if (minFreeBytes !== undefined && disk.freeBytes < minFreeBytes) {
    add('disk-short', `Only ${formatBytes(disk.freeBytes)} are free on the disk.`, 'coppice plan');
  }
  for (const shortfall of shortfalls) add('out-of-reach', shortfallSentence(shortfall), 'coppice plan');
  const [first] = problems;
  if (first !== undefined) {
    const more = problems.length === 1 ? '' : ` And ${plural(problems.length - 1, 'other problem')}.`;
    add('damaged', `${first.message}${more}`, 'coppice doctor');
  }
  for (const note of notes) add('warned', note, 'coppice status');
  const { usedBytes, maxBytes } = disk;
  if (maxBytes !== undefined && usedBytes >= maxBytes * NEARLY_FULL) {
    add('nearly-full', `${formatBytes(usedBytes)} of ${formatBytes(maxBytes)} are used.`, 'coppice plan');
  }
  return [...found, ...upkeepOf(status)];
}

/** What becomes of the home by itself, or waits for a person. */
function upkeepOf({ waiting, heldSince, oversized, classes, nextMaintenanceAt }: AttentionFacts) {
  const found: Attention[] = [];
  if (waiting !== undefined) {
    const command = waiting.until === undefined ? 'coppice maintain release' : 'coppice plan';
    found.push({ kind: 'waiting', says: waitingSentence(waiting).replace(/:$/, '.'), command });
  } else if (heldSince !== undefined) {
    const says = `You hold unattended maintenance since ${formatDate(heldSince)}.`;
    found.push({ kind: 'held', says, command: 'coppice maintain release' });
  }
  if (oversized.length > 0) {
    const are = oversized.length === 1 ? 'session is' : 'sessions are';
    const says = `${oversized.length} ${are} larger than the rules allow.`;
    found.push({ kind: 'oversized', says, command: 'coppice sessions list --sort size' });
  }
  const items = classes.reduce((sum, { reclaimable }) => sum + reclaimable.items, 0);
  const sizeBytes = classes.reduce((sum, { reclaimable }) => sum + reclaimable.sizeBytes, 0);
  if (items > 0 && waiting === undefined && nextMaintenanceAt === undefined) {
    const says = `${plural(items, 'item')} can go (${formatBytes(sizeBytes)}), and nothing removes them by itself.`;
    found.push({ kind: 'can-go', says, command: 'coppice plan' });
  }
  return found;
}
