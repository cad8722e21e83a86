import type { Problem } from '../../core/problem.ts';
import { activeQuery } from '../../keeping/liveness/active-sessions.ts';
import { findProcess } from '../../platform/machine/find-process.ts';
import { wait } from '../../platform/machine/wait.ts';
import type { HomeParts } from '../home-parts.ts';

/** Between two looks: longer than a write takes, on a disk that is busy too. */
const MOMENTS_MS = [250, 1000];

interface Checked {
  readonly problems: readonly Problem[];
}

/**
 * What a check finds and goes on finding. A home is written to while it is looked at: files move before their rows change, and a
 * message stands in its file before it is stored. Whatever another process is at is another thing a moment later, or gone; damage
 * stays as it is. So what was found is looked for again, at once, and as long as others are at work a moment later too.
 */
export async function persistingProblems<T extends Checked>(parts: HomeParts, look: () => Promise<T>): Promise<T> {
  const first = await look();
  if (first.problems.length === 0) return first;
  let found = foundAgain(first, await look());
  for (const ms of MOMENTS_MS) {
    if (found.problems.length === 0 || !(await areOthersAtWork(parts))) break;
    await wait(ms);
    found = foundAgain(found, await look());
  }
  return found;
}

function foundAgain<T extends Checked>(before: T, now: T): T {
  const known = new Set(before.problems.map(sameness));
  return { ...now, problems: now.problems.filter((problem) => known.has(sameness(problem))) };
}

function sameness({ kind, subject, message }: Problem): string {
  return JSON.stringify([kind, subject, message]);
}

/** Whether a living process holds a session, or another one changed the home last and may be at it still. */
async function areOthersAtWork({ store, clock }: HomeParts): Promise<boolean> {
  if ((await activeQuery(store, { clock, graceMs: 0 })).holderIds.length > 0) return true;
  const [, pid] = /process (\d+)$/.exec((await store.getMeta('lock-holder')) ?? '') ?? [];
  return pid !== undefined && Number(pid) !== process.pid && findProcess(Number(pid)) !== undefined;
}
