import { ABANDONED } from '../../core/sessions/end-reasons.ts';
import type { UnusedSession } from '../../core/stores/session-writer.ts';
import { claimedSessions } from '../../keeping/liveness/active-sessions.ts';
import { processState } from '../../platform/machine/process-identity.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseForeign } from '../refusals/refuse-foreign.ts';

/** A session that was ended because the process that held it is gone, and which one that was. */
export interface CrashedSession {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

/**
 * Ends open sessions whose process died on this machine, without waiting until they count as abandoned. That a process elsewhere is
 * silent is no evidence, and what a living process or a route also holds stays open: looked at again under the write lock.
 */
export async function endCrashed(parts: HomeParts, reason: string = ABANDONED): Promise<readonly CrashedSession[]> {
  refuseForeign(parts);
  const { store, clock } = parts;
  const dead = (await store.holders()).filter((holder) => processState(holder.process) === 'dead');
  const crashed = new Map<string, CrashedSession>();
  for (const { process, sessionIds } of dead)
    for (const id of sessionIds) crashed.set(id, { id, pid: process.pid, host: process.host });
  const living = await claimedSessions(store, clock);
  const open: UnusedSession[] = [];
  for (const id of crashed.keys()) {
    const facts = living.has(id) ? undefined : await store.get(id);
    if (facts !== undefined && facts.endedAt === undefined) open.push(facts);
  }
  const ended = await store.endUnused(open, { reason, deadHolders: dead.map(({ id }) => id) });
  return ended.flatMap((id) => crashed.get(id) ?? []);
}
