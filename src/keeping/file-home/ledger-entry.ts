import type { LedgerEntry } from '../../core/sessions/session.ts';
import type { FoundSession } from './file-agent.ts';
import { fileSessionFacts } from './file-session-facts.ts';
import type { FileHome } from './open-file-home.ts';

/** The trace that a session leaves, read in full while it is there. */
export async function ledgerEntry(home: FileHome, session: FoundSession): Promise<LedgerEntry> {
  const described = await home.describer.one(session);
  const count = await home.counter.count(session);
  const { id, source, title, workdir, startedAt, lastActiveAt, endedAt, messageCount, toolCallCount } =
    fileSessionFacts(home.agent.name, session, { described, count });
  return {
    id,
    source,
    ...(title !== undefined && { title }),
    ...(workdir !== undefined && { workdir }),
    startedAt,
    lastActiveAt,
    ...(endedAt !== undefined && { endedAt }),
    messageCount,
    toolCallCount,
    usageByModel: count.usageByModel,
    removedAt: home.clock.now(),
  };
}
