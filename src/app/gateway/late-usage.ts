import type { LeftByDead, SpendBook } from '../../core/gateway/spend-book.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { SessionWriter } from '../../core/stores/session-writer.ts';

type Store = Pick<SessionReader, 'get'> & Pick<SessionWriter, 'recordUsage' | 'usageIds' | 'forgetUsageIds'>;

/**
 * Makes the books agree after a crash. What a process had counted in `live.db` when it died, and had perhaps not recorded in its session
 * yet, is recorded now, once. Returns the calls that were under way, which are counted as what was set aside for them.
 */
export async function recordLateUsage(
  book: Pick<SpendBook, 'settleDead' | 'recorded' | 'request'>,
  store: Store,
): Promise<LeftByDead['calls']> {
  // Read first: an id whose note is gone by the time the notes are looked at is nobody's any more.
  const known = await store.usageIds();
  const { calls, unrecorded, noted } = await book.settleDead();
  for (const { id, sessionId, usage } of unrecorded) {
    // What the disk or a lock refuses is tried again at the next open.
    if (await takesUsage(store, sessionId)) await store.recordUsage(sessionId, usage, { once: id, late: true });
    await book.recorded({ id });
  }
  const stillNoted = new Set(noted);
  const done = [...known.filter((id) => !stillNoted.has(id)), ...unrecorded.map(({ id }) => id)];
  // A client that lost the answer comes with the same id again, for as long as its request is remembered.
  const forgotten: string[] = [];
  for (const id of done) if ((await book.request(id)) === undefined) forgotten.push(id);
  await store.forgetUsageIds(forgotten);
  return calls;
}

/** A session that was removed or archived takes no usage any more, and totals alone know of it. */
export async function takesUsage(store: Pick<SessionReader, 'get'>, sessionId: string): Promise<boolean> {
  const facts = await store.get(sessionId);
  return facts !== undefined && facts.archivedAt === undefined;
}
