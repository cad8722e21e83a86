import type { Inventory } from '../../core/retention/inventory.ts';
import type { KeepReason, Shortfall } from '../../core/retention/plan.ts';
import { MIN_AGE_MS } from '../checkpoint-rules.ts';
import type { Judged, JudgedItem } from '../judge-inventory.ts';
import type { RuleContext } from '../rule-context.ts';
import { limitOf } from '../rules-by-source.ts';
import type { Removal } from '../verdict.ts';
import { bytesLeft } from './bytes-left.ts';

/** Clearing stops this far below the limit, so that not every checkpoint after it brings another removal. */
const LOW_WATER = 0.95;

const PURGE: Removal = { action: 'purge', reason: 'pressure' };
const REMOVE: Removal = { action: 'remove', reason: 'pressure' };
const REMOVE_LAST: Removal = { action: 'remove', reason: 'least-used' };

/**
 * Where checkpoints take more than `maxBytes`, changes verdicts until they take a little less. What is spare goes by itself;
 * then trash that holds nothing but checkpoints is emptied, oldest first, what goes anyway goes at once, and one after the other
 * is given up, in `dropOrder`. The last one of a folder goes after all others, that of the folder used least recently first, and
 * never while somebody works there. Never touches what is held; says what is missing when all that is not enough.
 */
export function relieveCheckpoints(judged: Judged, limit: number | undefined, inventory: Inventory): Shortfall[] {
  const maxBytes = limitOf(limit) ?? Infinity;
  const { garbageBytes, cacheBytes } = inventory.checkpointSpare ?? { garbageBytes: 0, cacheBytes: 0 };
  const usedBytes =
    inventory.checkpointBytes -
    garbageBytes -
    cacheBytes -
    judged.others.filter(isOurs).reduce((sum, item) => sum + freed(item), 0);
  if (usedBytes <= maxBytes) return [];
  const neededBytes = usedBytes - Math.floor(maxBytes * LOW_WATER);
  let freedBytes = 0;
  for (const { item, rule } of judged.context.activityUnknown ? [] : waysToGiveUp(judged)) {
    if (freedBytes >= neededBytes) return [];
    const before = freed(item);
    item.rule = rule;
    item.skipsTrash = rule.action === 'remove';
    freedBytes += freed(item) - before;
  }
  return freedBytes >= neededBytes ? [] : [shortfall(judged, neededBytes - freedBytes)];
}

function* waysToGiveUp({ others, context }: Judged): Generator<{ item: JudgedItem; rule: Removal }> {
  for (const item of others) if (isFreeTrash(item)) yield { item, rule: PURGE };
  const checkpoints = others.filter(({ item }) => item.kind === 'checkpoint');
  for (const item of checkpoints) if (item.rule.action !== 'keep') yield { item, rule: item.rule };
  for (const one of checkpoints) {
    const newest = one.item.kind === 'checkpoint' && context.checkpoints.newest.has(one.item);
    if (isFree(one) && !newest) yield { item: one, rule: REMOVE };
  }
  for (const one of checkpoints) if (isIdle(one, context)) yield { item: one, rule: REMOVE_LAST };
}

/** The last one of a folder that nobody is at work in. Its age counts, so it stays while the clock is in doubt. */
function isIdle({ item, rule }: JudgedItem, { now, clockSuspect }: RuleContext): boolean {
  if (item.kind !== 'checkpoint' || clockSuspect || now - item.takenAt < MIN_AGE_MS) return false;
  return rule.action === 'keep' && rule.reason === 'keep-last';
}

/** Takes part in what the store of checkpoints takes on disk. */
function isOurs({ item }: JudgedItem): boolean {
  return item.kind === 'checkpoint' || (item.kind === 'trash' && item.onlyCheckpoints === true);
}

function isFreeTrash({ item, rule }: JudgedItem): boolean {
  return item.kind === 'trash' && item.onlyCheckpoints === true && rule.action === 'keep' && rule.reason !== 'future';
}

/** A project at work is bounded too: only its newest is safe from the limit on size. */
function isFree({ rule }: JudgedItem): boolean {
  return (
    rule.action === 'keep' && (rule.reason === 'not-expired' || rule.reason === 'active' || rule.reason === 'doubt')
  );
}

function freed(judged: JudgedItem): number {
  const { rule, skipsTrash, item } = judged;
  return item.sizeBytes - bytesLeft(judged, { action: rule.action, skipsTrash });
}

function shortfall({ others }: Judged, bytes: number): Shortfall {
  const heldBytes: Partial<Record<KeepReason, number>> = {};
  for (const { item, rule } of others) {
    if (item.kind !== 'checkpoint' || rule.action !== 'keep' || item.sizeBytes === 0) continue;
    const reason = rule.reason === 'not-expired' || rule.reason === 'active' ? 'keep-last' : rule.reason;
    heldBytes[reason] = (heldBytes[reason] ?? 0) + item.sizeBytes;
  }
  return { of: 'checkpoints', bytes, heldBytes };
}
