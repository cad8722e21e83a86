import { setImmediate } from 'node:timers/promises';
import { contentText, type NewMessage, toolCallsText } from '../../core/sessions/message.ts';
import type { SaidMessage, SearchBook } from '../../core/stores/search-book.ts';
import type { PartChange, SessionChange } from './compare-session.ts';

/** What became of a session that was read into the index. */
export type ReadOutcome = 'read' | 'not-all' | 'busy' | 'no-room' | 'unreadable';

export interface Reading {
  readonly book: SearchBook;
  readonly place: string;
  /** Whether there is time for more. */
  readonly goesOn: () => boolean;
  /** Whether there is room for more; makes some by letting go of what was used before a time. */
  readonly hasRoom: (lastActiveAt: number) => boolean;
  readonly signal: AbortSignal | undefined;
  /** Told how many bytes of transcripts were read. */
  readonly onBytes: (bytes: number) => void;
  readonly readBytes: () => number;
}

/** Reads what is new in a session. Fails only where the index does, or when it is told to stop. */
export async function readSession(reading: Reading, { session, parts, gone }: SessionChange): Promise<ReadOutcome> {
  const { book, place } = reading;
  const { id, archived, lastActiveAt } = session;
  const note = { id, archived, lastActiveAt, title: await titleOf(session), leftOut: false };
  book.note(place, [{ ...note, stamp: '' }]);
  if (gone.length > 0) book.drop(place, id, gone);
  for (const part of parts) {
    const outcome = await readPart(reading, { id, lastActiveAt, ...part });
    if (outcome === 'no-room') {
      book.drop(
        place,
        id,
        session.parts.map(({ name }) => name),
      );
      book.note(place, [{ ...note, stamp: session.stamp, leftOut: true }]);
    }
    if (outcome !== 'read') return outcome;
  }
  book.note(place, [{ ...note, stamp: session.stamp }]);
  return 'read';
}

async function titleOf(session: SessionChange['session']): Promise<string | undefined> {
  try {
    return (await session.facts()).title;
  } catch {
    // Whoever reads it finds out why.
    return undefined;
  }
}

async function readPart(
  { book, place, goesOn, hasRoom, signal, onBytes }: Reading,
  { id, lastActiveAt, part, order, from }: PartChange & { readonly id: string; readonly lastActiveAt: number },
): Promise<ReadOutcome> {
  if (!hasRoom(lastActiveAt)) return 'no-room';
  const writer = book.write(place, { id, name: part.name, order, goOn: from > 0 });
  if (writer === undefined) return 'busy';
  let at = from;
  let saidAt = lastActiveAt;
  const end = async (whole: boolean) => {
    const mark = await part.markAt(at);
    return writer.end({ readBytes: at, mark, stamp: part.stamp, whole }) ? mark : 'taken';
  };
  const batches = readable(part.read(from, signal));
  let turnEndsAt = performance.now() + TURN_MS;
  for await (const batch of batches) {
    if (batch === UNREADABLE) {
      await end(false);
      // Whoever was stopped has not found out whether it can be read.
      signal?.throwIfAborted();
      return 'unreadable';
    }
    const messages = batch.messages.map((message) => saidMessage(message, saidAt));
    saidAt = messages.at(-1)?.at ?? saidAt;
    onBytes(Math.max(0, batch.offset - at));
    at = Math.max(at, batch.offset);
    if (!writer.say(messages, at)) return 'busy';
    if (performance.now() < turnEndsAt) continue;
    // Whoever else has something to do gets a turn.
    await setImmediate();
    if (signal?.aborted === true) await end(false);
    signal?.throwIfAborted();
    turnEndsAt = performance.now() + TURN_MS;
    if (!hasRoom(lastActiveAt)) return 'no-room';
    // Where nobody can go on from here, all of it is read or nothing is gained.
    if (!goesOn() && (await part.markAt(at)) !== undefined) {
      await end(false);
      return 'not-all';
    }
  }
  await end(true);
  return 'read';
}

const TURN_MS = 50;
const UNREADABLE = Symbol('unreadable');

/** What cannot be read ends with a word about that: the index itself may fail in other ways. */
async function* readable<T>(batches: AsyncIterable<T>): AsyncGenerator<T | typeof UNREADABLE> {
  const rest = batches[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await rest.next().catch(() => undefined);
      if (next === undefined) yield UNREADABLE;
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** A message without a time was said at that of the one before it. */
function saidMessage({ role, content, toolCalls, at }: NewMessage, before: number): SaidMessage {
  const text = [contentText(content), toolCallsText(toolCalls)].filter((words) => words !== '').join('\n');
  return { role, at: at ?? before, text };
}
