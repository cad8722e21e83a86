import { lstatSync } from 'node:fs';
import type { Problem } from '../../core/problem.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { readLines } from '../../platform/text/read-lines.ts';
import { lineSeq } from './transcript-lines.ts';

const REPAIR = 'The messages themselves are in the database. Put it right with: coppice doctor --repair';
const NOTHING_TO_DO = 'Nothing needs to be done. To put it right now, run: coppice doctor --repair';
const MOVE_AWAY =
  'Move it out of the way; the messages themselves are in the database. Write it again with: coppice doctor --repair';

/**
 * Compares a transcript with what the store says it holds: its size, and that every line is whole and in order. A crash leaves it
 * ahead of the store or behind it, which the next append mends; that is told apart from a file that somebody has changed.
 */
export async function transcriptProblems(path: string, session: SessionFacts): Promise<readonly Problem[]> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const problem = (kind: string, what: string, hint = REPAIR): Problem[] => [
    { kind, subject: session.id, message: `The transcript of ${session.id} ${what}`, hint },
  ];
  if (stat === undefined) return problem('transcript-missing', 'is missing.');
  if (!stat.isFile()) return problem('transcript-not-a-file', 'is not a plain file.', MOVE_AWAY);
  const { transcriptBytes: knownBytes } = session;
  const wrong = await firstWrongLine(path, { knownBytes, cutShort: stat.size < knownBytes });
  if (wrong !== undefined) return problem('transcript-damaged', `is damaged in line ${wrong}.`, MOVE_AWAY);
  if (stat.size < knownBytes) {
    const what = `lacks ${knownBytes - stat.size} bytes at its end, as after a power cut. The next message writes them again.`;
    return problem('transcript-behind', what, NOTHING_TO_DO);
  }
  if (stat.size === knownBytes) return [];
  const what = `is ${stat.size - knownBytes} bytes ahead of the database, as after a crash. The next message puts it right.`;
  return problem('transcript-ahead', what, NOTHING_TO_DO);
}

interface Extent {
  /** What the store knows of, which ends with a line. What is beyond it may be anything. */
  readonly knownBytes: number;
  /** The file ends earlier, perhaps within a line. */
  readonly cutShort: boolean;
}

async function firstWrongLine(path: string, { knownBytes, cutShort }: Extent): Promise<number | undefined> {
  let last = -1;
  let endsAt = 0;
  for await (const line of readLines(path)) {
    if (endsAt === knownBytes) break;
    endsAt = line.endOffset;
    if (endsAt > knownBytes) return line.number;
    // A line beyond what is read at once cannot be judged; its size was compared already.
    if (!('text' in line)) continue;
    if (!line.complete && cutShort) break;
    const seq = lineSeq(line.text);
    if (seq === undefined || seq <= last || !line.complete) return line.number;
    last = seq;
  }
  return undefined;
}
