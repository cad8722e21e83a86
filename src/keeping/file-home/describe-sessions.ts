import type { Problem } from '../../core/problem.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { lookAhead } from '../look-ahead.ts';
import type { DescribedSession, FoundSession } from './file-agent.ts';
import type { FileHomePlace } from './look-at-home.ts';
import { fileFingerprint } from './session-pieces.ts';

/** What a bounded look tells of a session, or why there is nothing to tell. */
export type Description = DescribedSession & { readonly problem?: Problem };

/** Remembers what it saw for as long as no file of the session changes. */
export interface Describer {
  one(session: FoundSession): Promise<Description>;
  /** In their order, while those after them are being read. */
  all(sessions: Iterable<FoundSession>): AsyncIterable<readonly [FoundSession, Description]>;
}

/** So many are read at once. Each opens a file or two. */
const AT_ONCE = 16;

export function createDescriber({ home, agent }: FileHomePlace): Describer {
  const known = new Map<string, { readonly mark: string; readonly description: Description }>();
  const one = async (session: FoundSession): Promise<Description> => {
    const mark = fileFingerprint(session);
    const before = known.get(session.id);
    if (before?.mark === mark) return before.description;
    const description = await describe(session);
    known.set(session.id, { mark, description });
    return description;
  };
  const describe = async (session: FoundSession): Promise<Description> => {
    try {
      return await agent.describe(home, session);
    } catch (error) {
      return { id: session.id, problem: unreadable(session, errorSentence(error)) };
    }
  };
  return {
    one,
    all: (sessions) => lookAhead(sessions, AT_ONCE, async (session) => [session, await one(session)] as const),
  };
}

function unreadable({ id }: FoundSession, why: string): Problem {
  return { kind: 'unreadable', subject: id, message: `The session cannot be read. ${why} It is left alone.` };
}
