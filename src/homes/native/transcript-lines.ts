import type { Message } from '../../core/sessions/message.ts';
import type { TranscriptSession } from '../../core/sessions/transcript.ts';
import { isoTime } from '../../core/time.ts';

/** The first line of every transcript: what the file is and whose. The format is pinned in docs/formats/transcript.md. */
export function headerLine(session: TranscriptSession): string {
  return line({
    coppice: 'transcript',
    version: 1,
    session: session.id,
    source: session.source,
    startedAt: isoTime(session.startedAt),
    ...(session.parentId !== undefined && { parentId: session.parentId, childKind: session.childKind }),
    ...(session.workdir !== undefined && { workdir: session.workdir }),
  });
}

/**
 * One message, one line: JSON has no raw line breaks, so a reader can never see half a message as a whole one. The same message
 * gives the same bytes, in whatever order its fields were given.
 */
export function messageLine(message: Message): string {
  const { seq, at, role, content, toolCalls, toolCallId, name, failed, model, metadata } = message;
  return line({ seq, at: isoTime(at), role, content, toolCalls, toolCallId, name, failed, model, metadata });
}

/** The sequence number of a message line; 0 for the header; undefined for anything else. */
export function lineSeq(text: string): number | undefined {
  try {
    const value = JSON.parse(text) as { seq?: unknown; coppice?: unknown } | null;
    if (value?.coppice === 'transcript') return 0;
    return typeof value?.seq === 'number' ? value.seq : undefined;
  } catch {
    // Not JSON: a torn line, or not ours.
    return undefined;
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
