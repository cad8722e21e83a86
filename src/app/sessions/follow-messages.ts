import type { Message } from '../../core/sessions/message.ts';
import { wait } from '../../platform/machine/wait.ts';

export interface FollowOptions {
  /** How many of the newest messages to begin with. */
  readonly last: number;
  readonly signal?: AbortSignal;
}

/** A session that somebody else may be writing to, here or behind a daemon. */
export interface Followed {
  readonly messages: (range: { readonly last?: number; readonly from?: number }) => AsyncIterable<Message>;
  readonly ended: () => Promise<boolean>;
  /** Other processes write too, so it is asked again this often. */
  readonly pollMs: number;
}

/** The newest messages of a session, then new ones as they come, until the session ends or the signal says stop. */
export async function* followMessages(session: Followed, { last, signal }: FollowOptions): AsyncGenerator<Message> {
  let next = 1;
  for (let range: { last: number } | { from: number } = { last }; ; range = { from: next }) {
    // Asked before the messages are read: what is stored before the end is then always seen.
    const ended = await session.ended();
    for await (const message of session.messages(range)) {
      yield message;
      next = message.seq + 1;
    }
    if (ended || !(await waited(session.pollMs, signal))) return;
  }
}

async function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await wait(ms, signal);
    return true;
  } catch {
    // Only the signal makes a wait fail, and being told to stop is how following normally ends.
    return false;
  }
}
