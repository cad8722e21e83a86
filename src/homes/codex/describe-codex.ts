import { join } from 'node:path';
import type { TranscriptFacts } from '../../core/sessions/transcript-format.ts';
import type { DescribedSession, FoundSession } from '../../keeping/file-home/file-agent.ts';
import type { TreeFile } from '../../keeping/file-home/home-tree.ts';
import { describeBeginning, describeLines, type LinesDescribed } from '../../platform/transcripts/describe-lines.ts';
import { readZstdBeginning } from '../../platform/transcripts/read-zstd-lines.ts';
import { codexTranscript, type NameOf } from './codex-transcript.ts';
import { laterFacts } from './managed-format.ts';

/** What is unpacked of a compressed rollout to see what it is about. Most are told in full by then. */
const UNPACKED_BYTES = 1024 * 1024;

/** What the beginning of a thread and its end say of it: where it was taken back, they stand in different rollouts. */
export async function describeCodex(home: string, session: FoundSession, nameOf: NameOf): Promise<DescribedSession> {
  const { id, transcripts, parentId } = session;
  const [first, ...later] = transcripts;
  const last = later.at(-1);
  const facts = await describeOne(home, first, nameOf);
  const { messageCount, ...known } = facts;
  const end: TranscriptFacts = last === undefined ? { id } : laterFacts(await describeOne(home, last, nameOf), id);
  return {
    ...known,
    ...end,
    id,
    // What was said in the other rollouts was not read here.
    ...(messageCount !== undefined && last === undefined && { messageCount }),
    ...(parentId !== undefined && { parentId, childKind: facts.childKind ?? 'branch' }),
  };
}

async function describeOne(home: string, file: TreeFile | undefined, nameOf: NameOf): Promise<LinesDescribed> {
  const path = join(home, file?.path ?? '');
  const transcript = () => codexTranscript(path, nameOf);
  if (file === undefined || !path.endsWith('.zst')) return describeLines(path, transcript);
  const found = readZstdBeginning(path, UNPACKED_BYTES);
  const isAll = found.length < UNPACKED_BYTES;
  return describeBeginning(found.toString(), transcript(), { isAll, changedAt: file.modifiedAt });
}
