import { join } from 'node:path';
import type { DescribedSession, FoundSession } from '../../keeping/file-home/file-agent.ts';
import { describeLines } from '../../platform/transcripts/describe-lines.ts';
import { isChat } from './gemini-places.ts';
import { geminiTranscript } from './gemini-transcript.ts';
import { describeOldChat } from './read-old-chat.ts';

/** What the beginning and the end of a session's conversation say of it. What lies between may be gigabytes. */
export async function describeGemini(home: string, { id, transcripts }: FoundSession): Promise<DescribedSession> {
  // Of several files the last one was written last.
  const main = transcripts.findLast(({ path }) => isChat(path)) ?? transcripts[0];
  const path = join(home, main?.path ?? '');
  const {
    messageCount,
    parentId: _,
    childKind: __,
    ...facts
  } = await (path.endsWith('.json')
    ? describeOldChat(path, geminiTranscript(path))
    : describeLines(path, () => geminiTranscript(path)));
  // What other files of it say counts as well, and was not read here.
  return { ...facts, id, ...(messageCount !== undefined && transcripts.length === 1 && { messageCount }) };
}
