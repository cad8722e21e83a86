import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import { DAY_MS, type EpochMs, isoTime, MINUTE_MS } from '../../core/time.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { writeBelow } from '../../platform/files/write-below.ts';
import type { StoreLayout } from '../store/store-layout.ts';

/** How tries to give space back failed, one after the other, since the last that did not. */
interface ReclaimFailures {
  readonly count: number;
  readonly lastAt: EpochMs;
  readonly error: string;
}

/** Whether to wait: after each failure twice as long, from ten minutes to a day. A stamp in the future is no reason to. */
export function isBackingOff(layout: StoreLayout, now: EpochMs): boolean {
  const failures = readFailures(layout);
  if (failures === undefined || failures.lastAt > now) return false;
  return now - failures.lastAt < Math.min(DAY_MS, 10 * MINUTE_MS * 2 ** (failures.count - 1));
}

export function rememberFailure(layout: StoreLayout, error: string, now: EpochMs): void {
  const count = (readFailures(layout)?.count ?? 0) + 1;
  const failures: ReclaimFailures = { count, lastAt: now, error };
  try {
    writeBelow(layout.home, fileOf(layout), `${JSON.stringify(failures)}\n`);
  } catch {
    // A disk so full that not even this fits. The next try comes sooner than it might, and that is all.
  }
}

export function forgetFailures(layout: StoreLayout): void {
  removeBelow(layout.home, [fileOf(layout)]);
}

/** What a person should know about it. */
export function lastFailure(layout: StoreLayout): Problem[] {
  const failures = readFailures(layout);
  if (failures === undefined) return [];
  const { lastAt, error } = failures;
  const message = `Space of removed checkpoints could not be given back (${isoTime(lastAt)}): ${error}`;
  return [
    {
      kind: 'reclaim-failed',
      subject: 'checkpoints/store',
      message,
      hint: 'Try again with: coppice checkpoints prune',
    },
  ];
}

function fileOf({ root }: StoreLayout): string {
  return join(root, 'reclaim.json');
}

/** A damaged file counts as none. */
function readFailures(layout: StoreLayout): ReclaimFailures | undefined {
  try {
    const data = JSON.parse(readFileSync(fileOf(layout), 'utf8')) as Partial<ReclaimFailures> | null;
    const { count, lastAt, error } = data ?? {};
    if (!Number.isSafeInteger(count) || !Number.isSafeInteger(lastAt) || typeof error !== 'string') return undefined;
    return { count, lastAt, error } as ReclaimFailures;
  } catch {
    return undefined;
  }
}
