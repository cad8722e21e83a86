import { createHash } from 'node:crypto';
import type { Message } from '../../../core/sessions/message.ts';
import { isoTime } from '../../../core/time.ts';
import type { ExportedSession } from './exported-session.ts';

/** The version of the format that docs/formats/export.md pins. */
export const EXPORT_VERSION = 1;

export interface ExportHeader {
  /** How many sessions follow, so that a file cut between two of them is noticed. */
  readonly sessions: number;
  readonly redacted: boolean;
}

/** The lossless export: one JSON object per line, each session closed by the hash of its lines. */
export async function* exportJsonl(
  sessions: AsyncIterable<ExportedSession>,
  header: ExportHeader,
): AsyncGenerator<string> {
  yield line({ kind: 'coppice-export', version: EXPORT_VERSION, ...header });
  for await (const session of sessions) yield* sessionLines(session);
}

async function* sessionLines(session: ExportedSession): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const first = sessionLine(session);
  hash.update(first);
  yield first;
  let messages = 0;
  for await (const message of session.messages) {
    const text = messageLine(message);
    hash.update(text);
    messages += 1;
    yield text;
  }
  yield line({ kind: 'session-end', id: session.facts.id, messages, sha256: hash.digest('hex') });
}

function sessionLine({ facts, usageByModel }: ExportedSession): string {
  const { startedAt, lastActiveAt, endedAt } = facts;
  return line({
    kind: 'session',
    ...facts,
    startedAt: isoTime(startedAt),
    lastActiveAt: isoTime(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    usageByModel,
  });
}

function messageLine({ seq, at, ...rest }: Message): string {
  return line({ kind: 'message', seq, at: isoTime(at), ...rest });
}

/** JSON writes line breaks, NULs and half character pairs as escapes, so every value survives as one line of UTF-8. */
function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
