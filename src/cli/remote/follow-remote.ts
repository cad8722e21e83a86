import { setTimeout } from 'node:timers/promises';
import type { FollowOptions } from '../../app/sessions/follow-messages.ts';
import { ignoreAbort } from '../../core/ignore-abort.ts';
import type { Message } from '../../core/message.ts';

const POLL_MS = 1000;

export interface Followed {
  readonly messages: (range: { readonly last?: number; readonly from?: number }) => AsyncIterable<Message>;
  readonly ended: () => Promise<boolean>;
}

/** The newest messages of a session behind a daemon, then new ones as they come, until it ends or the signal says stop. */
export async function* followRemote(session: Followed, { last, signal }: FollowOptions): AsyncGenerator<Message> {
  let next = 1;
  for (let range: { last: number } | { from: number } = { last }; ; range = { from: next }) {
    // Asked before the messages are read: what is stored before the end is then always seen.
    const ended = await session.ended();
    for await (const message of session.messages(range)) {
      yield message;
      next = message.seq + 1;
    }
    if (ended || !(await waited(signal))) return;
  }
}

async function waited(signal: AbortSignal | undefined): Promise<boolean> {
  const wait = setTimeout(POLL_MS, undefined, signal && { signal });
  await (signal === undefined ? wait : wait.catch(ignoreAbort(signal)));
  return signal?.aborted !== true;
}
