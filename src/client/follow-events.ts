import { setTimeout } from 'node:timers/promises';
import { ignoreAbort } from '../core/ignore-abort.ts';
import type { EventDocument } from './documents.ts';
import { isPassing, type Transport } from './transport.ts';

export interface FollowEvents {
  /** The id of the last event that was seen. Without one, only new events come. */
  readonly after?: string;
  /** Only events of these kinds. */
  readonly type?: readonly string[];
  /** Only events of this session. */
  readonly session?: string;
  readonly signal: AbortSignal;
}

const AGAIN_MS = 500;

/**
 * The events of a daemon, in order, until the signal says stop. After a lost connection, or while the daemon is started again, it
 * goes on where it was; a daemon that cannot be found at all is a failure.
 */
export async function* followEvents(
  transport: Transport,
  { after, signal, ...query }: FollowEvents,
): AsyncGenerator<EventDocument> {
  let last = after;
  let met = false;
  while (!signal.aborted) {
    try {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      const response = await transport.stream({ method: 'GET', path: '/api/events', query, headers, signal });
      met = true;
      for await (const event of readEvents(response)) {
        last = event.id;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!met || !isPassing(error)) throw error;
    }
    await setTimeout(AGAIN_MS, undefined, { signal }).catch(ignoreAbort(signal));
  }
}

/** The events in a stream of text. Comments keep the connection alive and say nothing. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventDocument> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function readBlock(block: string): EventDocument | undefined {
  const fields = new Map(block.split('\n').map((line) => splitField(line)));
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { id: fields.get('id') ?? '', ...(JSON.parse(data) as Omit<EventDocument, 'id'>) };
}

function splitField(line: string): [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
