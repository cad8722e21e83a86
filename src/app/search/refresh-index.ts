import { Failure } from '../../core/failure.ts';
import { isNoSpace } from '../../core/machine-failure.ts';
import type { SearchBook } from '../../core/stores/search-book.ts';
import type { SearchedHome, SearchedSession } from '../../core/sessions/searched-home.ts';
import { compareSession, type SessionChange } from './compare-session.ts';
import { type Reading, type ReadOutcome, readSession } from './read-session.ts';

export interface RefreshOptions {
  /** How much the index of all homes may take. */
  readonly mostBytes: number;
  /** When to stop, by `performance.now()`. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes of transcripts were read, and of how many. */
  readonly onProgress?: ((doneBytes: number, ofBytes: number) => void) | undefined;
}

/** What the index of a home has after it was brought up to date, as far as there was time and room for it. */
export interface Refreshed {
  /** Every session that is there, those in the archive included. */
  readonly sessions: ReadonlyMap<string, SearchedSession>;
  /** Whether what is found in the index of a session is still there. */
  readonly holds: (id: string) => boolean;
  /** What is not in the index yet. */
  readonly unread: { readonly sessions: number; readonly bytes: number };
  readonly unreadable: number;
  /** Another process reads some of them at this moment. */
  readonly busy: number;
  /** Why nothing more could be written. */
  readonly stopped: 'no-space' | 'read-only' | undefined;
}

/** Brings the index of one home up to date, the newest sessions first. What is gone goes first of all. */
export async function refreshIndex(
  { book, place, home }: { readonly book: SearchBook; readonly place: string; readonly home: SearchedHome },
  options: RefreshOptions,
): Promise<Refreshed> {
  const sessions = await sessionsIn(home, options.signal);
  const booked = book.sessions(place);
  const changes: SessionChange[] = [];
  const stale = new Set<string>();
  const roomy = book.sizeBytes < options.mostBytes * ROOMY;
  for (const session of sessions.values()) {
    const before = booked.get(session.id);
    const change = await compareSession(session, before?.leftOut === true && roomy ? undefined : before);
    if (change === undefined) continue;
    changes.push(change);
    if (!change.holds) stale.add(session.id);
  }
  const result = { sessions, holds: (id: string) => sessions.has(id) && !stale.has(id) };
  const outcomes = new Map<ReadOutcome, number>();
  const waiting = new Set(changes.toSorted((a, b) => b.session.lastActiveAt - a.session.lastActiveAt));
  const told = (stopped: Refreshed['stopped']): Refreshed => ({
    ...result,
    unread: { sessions: waiting.size, bytes: [...waiting].reduce((sum, change) => sum + bytesOf(change), 0) },
    unreadable: outcomes.get('unreadable') ?? 0,
    busy: outcomes.get('busy') ?? 0,
    stopped,
  });
  if (book.onlyRead) return told('read-only');
  try {
    for (const id of booked.keys()) if (!sessions.has(id)) book.drop(place, id);
    const reading = readingOf({ book, place }, [...waiting], options);
    for (const change of waiting) {
      options.signal?.throwIfAborted();
      if (!reading.goesOn()) break;
      const outcome = await readSession(reading, change);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'read' || outcome === 'no-room') stale.delete(change.session.id);
      if (outcome !== 'not-all') waiting.delete(change);
    }
    if (changes.length > 0) book.tidy(reading.readBytes());
  } catch (error) {
    if (isNoSpace(error)) return told('no-space');
    if (error instanceof Failure && error.code === 'refused') return told('read-only');
    throw error;
  }
  return told(undefined);
}

/** Room is made by so much of the limit at a time: it takes a merge of the whole index. */
const MADE_AT_ONCE = 0.1;
/** So little may be in use before somebody tries again to find room for what was left out. */
const ROOMY = 0.5;

async function sessionsIn(home: SearchedHome, signal: AbortSignal | undefined): Promise<Map<string, SearchedSession>> {
  const sessions = new Map<string, SearchedSession>();
  for await (const session of home.archived()) sessions.set(session.id, session);
  // One that was brought back, or is being archived, is the one of its agent.
  for (const session of await home.sessions(signal)) sessions.set(session.id, session);
  return sessions;
}

function readingOf(
  { book, place }: Pick<Reading, 'book' | 'place'>,
  changes: readonly SessionChange[],
  { mostBytes, until, signal, onProgress }: RefreshOptions,
): Reading {
  const ofBytes = changes.reduce((sum, change) => sum + bytesOf(change), 0);
  let doneBytes = 0;
  return {
    book,
    place,
    signal,
    goesOn: () => performance.now() < until,
    readBytes: () => doneBytes,
    onBytes(bytes) {
      doneBytes += bytes;
      onProgress?.(doneBytes, ofBytes);
    },
    hasRoom(lastActiveAt) {
      while (book.sizeBytes >= mostBytes) if (!book.makeRoom(mostBytes * MADE_AT_ONCE, lastActiveAt)) return false;
      return true;
    },
  };
}

function bytesOf({ parts }: SessionChange): number {
  return parts.reduce((sum, { part, from }) => sum + Math.max(0, part.stamp.sizeBytes - from), 0);
}
