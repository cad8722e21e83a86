import { firstLines } from '../../core/sessions/first-lines.ts';
import { objectOf, textOf } from '../../core/sessions/message-parts.ts';
import { readSlice } from '../../platform/transcripts/read-slice.ts';

/** What the first event of a session says of it. */
export interface CopilotHead {
  readonly id: string | undefined;
  /** Of the form in which events are written. */
  readonly version: number | undefined;
}

/** The first event has the folder, the branch and the like, and no word of anybody. */
const HEAD_BYTES = 16 * 1024;

/** Undefined for a file that does not begin as events do. Fails where it cannot be read. */
export function readCopilotHead(path: string): CopilotHead | undefined {
  const [first] = firstLines(readSlice(path, { bytes: HEAD_BYTES }).text, 1);
  const data = objectOf(first?.['data']);
  if (first?.['type'] !== 'session.start' || data === undefined) return undefined;
  const version = data['version'];
  return { id: textOf(data['sessionId']), version: typeof version === 'number' ? version : undefined };
}
