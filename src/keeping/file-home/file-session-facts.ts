import type { EpochMs } from '../../core/time.ts';
import { NO_USAGE, type SessionFacts } from '../../core/sessions/session.ts';
import type { SessionCount } from './count-session.ts';
import type { DescribedSession, FoundSession } from './file-agent.ts';
import { newestOf, pieceBytes } from './session-pieces.ts';

/** What is known of when a session began and was last used: by what it says of itself, else by its files. */
export function timesOf(
  session: FoundSession,
  { startedAt, lastActiveAt }: DescribedSession,
): { readonly startedAt: EpochMs; readonly lastActiveAt: EpochMs } {
  const last = lastActiveAt ?? startedAt ?? newestOf(session.transcripts);
  return { startedAt: startedAt ?? last, lastActiveAt: last };
}

/**
 * The facts of a session. Its agent ends none: one that nobody uses counts as ended when it was last used, and can be taken up again
 * at any time for as long as it is there.
 */
export function fileSessionFacts(
  source: string,
  session: FoundSession,
  { described, count }: { readonly described: DescribedSession; readonly count?: SessionCount | undefined },
): SessionFacts {
  const { id, pinned = false, tags = [], hold, active } = session;
  const { title, workdir, model, childKind, parentId = session.parentId } = { ...described, ...count?.facts };
  const times = timesOf(session, { ...described, ...count?.facts });
  const { transcript, part, spare } = pieceBytes(session);
  const parent = session.parentId ?? parentId;
  return {
    id,
    source,
    ...times,
    ...(!active && { endedAt: times.lastActiveAt }),
    ...(title !== undefined && { title }),
    ...(workdir !== undefined && { workdir }),
    ...(model !== undefined && { model }),
    ...(parent !== undefined && { parentId: parent }),
    ...(parent !== undefined && childKind !== undefined && { childKind }),
    pinned,
    tags,
    ...(hold !== undefined && { hold }),
    messageCount: count?.messageCount ?? described.messageCount ?? 0,
    toolCallCount: count?.toolCallCount ?? 0,
    usage: count?.usage ?? NO_USAGE,
    contentBytes: 0,
    transcriptBytes: transcript + part,
    dumpBytes: spare,
  };
}
