import { join } from 'node:path';
import type { DescribedSession, FoundSession } from '../../keeping/file-home/file-agent.ts';
import { describeLines } from '../../platform/transcripts/describe-lines.ts';
import { claudeTranscript } from './claude-transcript.ts';
import { isMain } from './claude-places.ts';

/** What the beginning and the end of a session's conversation say of it. What lies between may be gigabytes. */
export async function describeClaude(home: string, session: FoundSession): Promise<DescribedSession> {
  const { id, transcripts } = session;
  // Of a session in two folders the last one was written last.
  const main = transcripts.findLast(({ path }) => isMain(path)) ?? transcripts[0];
  const path = join(home, main?.path ?? '');
  const { messageCount, ...facts } = await describeLines(path, () => claudeTranscript(path));
  const parentId = session.parentId ?? facts.parentId;
  return {
    ...facts,
    id,
    // What subagents said counts as well, and was not read here.
    ...(messageCount !== undefined && transcripts.length === 1 && { messageCount }),
    ...(parentId !== undefined && parentId !== id && { parentId, childKind: facts.childKind ?? 'branch' }),
  };
}
