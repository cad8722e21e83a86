import type { BookedPart, BookedSession } from '../../core/stores/search-book.ts';
import type { PartStamp, SearchedPart, SearchedSession } from '../../core/sessions/searched-home.ts';

/** What is to be read of a session, so that the index has it as it is. */
export interface SessionChange {
  readonly session: SearchedSession;
  readonly parts: readonly PartChange[];
  /** Parts that are not there any more. */
  readonly gone: readonly string[];
  /** Whether nothing in the index is of what is not there any more. */
  readonly holds: boolean;
}

export interface PartChange {
  readonly part: SearchedPart;
  readonly order: number;
  /** Where reading goes on; 0 for all of it. */
  readonly from: number;
}

/** Undefined where the index has all of it. */
export async function compareSession(
  session: SearchedSession,
  booked: BookedSession | undefined,
): Promise<SessionChange | undefined> {
  if (booked?.stamp === session.stamp && booked.archived === session.archived) return undefined;
  const names = new Set(session.parts.map(({ name }) => name));
  const gone = (booked?.parts ?? []).flatMap(({ name }) => (names.has(name) ? [] : [name]));
  const parts: PartChange[] = [];
  let holds = gone.length === 0;
  for (const [order, part] of session.parts.entries()) {
    const before = booked?.parts.find(({ name }) => name === part.name);
    const from = before === undefined ? 0 : await restOf(part, before);
    if (from === undefined) continue;
    if (from === 0 && before !== undefined) holds = false;
    parts.push({ part, order, from });
  }
  return { session, parts, gone, holds };
}

/** From where on it is new; undefined where nothing is. */
async function restOf(part: SearchedPart, before: BookedPart): Promise<number | undefined> {
  if (before.whole && isSame(part.stamp, before.stamp)) return undefined;
  const mayGoOn =
    before.mark !== undefined &&
    before.stamp.inode === part.stamp.inode &&
    part.stamp.sizeBytes >= before.readBytes &&
    // Of the same length at another time it was written anew, not added to.
    (part.stamp.sizeBytes > before.stamp.sizeBytes || !before.whole);
  return mayGoOn && (await markOf(part, before.readBytes)) === before.mark ? before.readBytes : 0;
}

/** What cannot be read is told of when it is read. */
async function markOf(part: SearchedPart, place: number): Promise<string | undefined> {
  try {
    return await part.markAt(place);
  } catch {
    return undefined;
  }
}

function isSame(a: PartStamp, b: PartStamp): boolean {
  return a.sizeBytes === b.sizeBytes && a.modifiedAt === b.modifiedAt && a.inode === b.inode;
}
