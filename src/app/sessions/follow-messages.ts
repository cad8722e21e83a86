import type { Message } from '../../core/message.ts';
import type { SessionStore } from '../../core/session-store.ts';
import { wait } from '../../platform/wait.ts';

export interface FollowOptions {
  /** How many of the newest messages to begin with. */
  readonly last: number;
  readonly signal?: AbortSignal;
}

/** Other processes write too, so the store is asked again this often. */
const POLL_MS = 300;

/** The newest messages of a session, then new ones as they come, until the session ends or the signal says stop. */
export async function* followMessages(
  store: SessionStore,
  id: string,
  { last, signal }: FollowOptions,
): AsyncGenerator<Message> {
  let next = 1;
  for (let range: { last: number } | { from: number } = { last }; ; range = { from: next }) {
    // Asked before the messages are read: what is stored before the end is then always seen.
    const ended = (await store.get(id))?.endedAt !== undefined;
    for await (const message of store.messages(id, range)) {
      yield message;
      next = message.seq + 1;
    }
    if (ended || !(await waited(signal))) return;
  }
}

async function waited(signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await wait(POLL_MS, signal);
    return true;
  } catch {
    // Only the signal makes a wait fail, and being told to stop is how following normally ends.
    return false;
  }
}
