import { Failure } from '../../core/failure.ts';
import type { Problem } from '../../core/problem.ts';
import { errorCode } from '../../platform/error-code.ts';

export function changedSince(id: string, hint: string): Problem {
  return {
    kind: 'conflict',
    subject: id,
    message: `There is already a session ${id} with other messages; it was left as it is.`,
    hint,
  };
}

export function grownSince(id: string): Problem {
  return {
    kind: 'grown',
    subject: id,
    message: `Session ${id} was imported before and has more messages by now; it was left as it is.`,
    hint: 'To bring it in as it is now, remove the stored one with: coppice sessions delete; then import it again.',
  };
}

export function nothingThere(path: string): Problem {
  return {
    kind: 'nothing-to-import',
    subject: path,
    message: `${path} holds no message that Coppice understands.`,
    hint: 'It reads its own exports, lines with a role and content, chats as OpenAI keeps them, and transcripts of seven agents.',
  };
}

export function refusedByStore(path: string, { message, hint }: Failure): Problem {
  return { kind: 'refused', subject: path, message, ...(hint !== undefined && { hint }) };
}

/** What the file system or the store refuses is an outcome; anything else is a bug and goes on up. */
export function unreadableFile(path: string, error: unknown): Problem {
  const failure = error instanceof Failure ? error : undefined;
  const reason = failure?.message ?? errorCode(error);
  if (reason === undefined || reason.startsWith('ERR_')) throw error;
  return {
    kind: 'unreadable-path',
    subject: path,
    message: `${path} could not be read to its end: ${reason}`,
    hint: failure?.hint ?? 'Check the file and its permissions, then import it again.',
  };
}
