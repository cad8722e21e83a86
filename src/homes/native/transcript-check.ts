import { lstatSync } from 'node:fs';
import type { Problem } from '../../core/problem.ts';
import type { SessionFacts } from '../../core/session.ts';
import { readLines } from '../../platform/read-lines.ts';
import { lineSeq } from './transcript-lines.ts';

const REPAIR = 'The messages themselves are in the database. Put it right with: coppice doctor --repair';
const MOVE_AWAY =
  'Move it out of the way; the messages themselves are in the database. Write it again with: coppice doctor --repair';

/** Compares a transcript with what the store says it holds: its size, and that every line is whole and in order. */
export async function transcriptProblems(path: string, session: SessionFacts): Promise<readonly Problem[]> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const problem = (kind: string, what: string, hint = REPAIR): Problem[] => [
    { kind, subject: session.id, message: `The transcript of ${session.id} ${what}`, hint },
  ];
  if (stat === undefined) return problem('transcript-missing', 'is missing.');
  if (!stat.isFile()) return problem('transcript-not-a-file', 'is not a plain file.', MOVE_AWAY);
  const difference = stat.size - session.transcriptBytes;
  if (difference < 0) return problem('transcript-behind', `lacks ${-difference} bytes at its end.`);
  if (difference > 0) return problem('transcript-ahead', `holds ${difference} bytes that were never acknowledged.`);
  const wrong = await firstWrongLine(path);
  return wrong === undefined ? [] : problem('transcript-damaged', `is damaged in line ${wrong}.`, MOVE_AWAY);
}

async function firstWrongLine(path: string): Promise<number | undefined> {
  let last = -1;
  for await (const line of readLines(path)) {
    // A line beyond what is read at once cannot be judged; its size was compared already.
    if (!('text' in line)) continue;
    const seq = lineSeq(line.text);
    if (seq === undefined || seq <= last || !line.complete) return line.number;
    last = seq;
  }
  return undefined;
}
