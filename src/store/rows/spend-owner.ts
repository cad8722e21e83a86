import { randomBytes } from 'node:crypto';
import type { ProcessIdentity } from '../../core/sessions/lease-holder.ts';
import { type Clock, HOUR_MS } from '../../core/time.ts';
import { currentProcess, processState } from '../../platform/machine/process-identity.ts';

/** Nobody can look whether a process of another machine lives. No call to a model lasts longer than this. */
const UNKNOWN_OWNER_MS = HOUR_MS;

/** Whose rows are whose: of a process, and in it of one open book. */
export interface SpendOwner {
  /** As it stands in rows. Looked up when it is first needed: it takes longer than most of what a book does. */
  readonly text: string;
  /** An id that nobody else gives, in this process or another. */
  nextId(): string;
}

export function createSpendOwner(identity: () => ProcessIdentity = currentProcess): SpendOwner {
  // Two books of one process are told apart: the one that is closed first leaves what the other has set aside alone.
  const book = randomBytes(8).toString('hex');
  let known: string | undefined;
  let given = 0;
  return {
    get text() {
      return (known ??= JSON.stringify({ ...identity(), book }));
    },
    nextId: () => `${book}-${(given += 1)}`,
  };
}

/** Whether the owner of a row has died; one of whom nobody can say it counts as dead when the row has been there for long. */
export function ownerIsGone(text: string, newestAt: number, clock: Clock): boolean {
  const state = processState(JSON.parse(text) as ProcessIdentity);
  return state === 'dead' || (state === 'unknown' && clock.now() - newestAt > UNKNOWN_OWNER_MS);
}
