import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import { done, skip } from '../../core/retention/item-outcome.ts';
import { readFingerprint } from '../../core/stores/session-trash.ts';
import { errorSentence, obstacleOf } from '../../platform/error-sentence.ts';
import type { Conversations } from './conversations.ts';
import type { FoundSession, SessionGuard } from './file-agent.ts';
import { type FileTrash, isAsWritten } from './file-trash.ts';
import type { LookedHome } from './look-at-home.ts';
import { CHANGED, fileObstacle, heldBy, sessionObstacle } from './session-obstacle.ts';
import { piecesOf, strayFingerprint, type SessionPiece } from './session-pieces.ts';
import type { FileHome } from './open-file-home.ts';
import { copyShared, putBackShared, sharedObstacle, takeOutShared } from './shared-copies.ts';
import { type TakenRecord, takenPieces } from './taken-record.ts';

/** What the steps that take files out of a home work with. */
export interface TakeDesk {
  readonly home: FileHome;
  readonly trash: FileTrash;
  readonly look: LookedHome;
  readonly guard: SessionGuard;
  readonly conversations: Conversations;
  /** Comes before anything of a session leaves, once it is known what may: what is remembered of it for ever. */
  remember(sessions: readonly FoundSession[]): Promise<ReadonlyMap<string, string>>;
}

/**
 * Takes sessions and strays into the trash. What is to go is on the disk as a record before anything moves, and the first file of a
 * conversation decides: while it is in its place the whole is undone and judged afresh, once it is gone the rest follows.
 */
export async function takeFiles(desk: TakeDesk, items: readonly RunItem[]): Promise<readonly ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  const fresh: RunItem[] = [];
  for (const item of items) {
    const settled = await settleBegun(desk, item);
    if (settled === undefined) fresh.push(item);
    else outcomes.push(settled);
  }
  const ready = new Map<RunItem, Prepared>();
  const leavingIds = new Set<string>();
  for (const item of fresh) {
    const prepared = await prepare(desk, item, leavingIds);
    if (typeof prepared !== 'string' && prepared.leaves) leavingIds.add(item.item.id);
    if (typeof prepared === 'string') outcomes.push(skip(item, prepared));
    else if (prepared.record.pieces.length === 0) outcomes.push(done(item));
    else ready.set(item, prepared);
  }
  const leaving = [...ready.values()].flatMap(({ session, leaves }) =>
    session !== undefined && leaves ? [session] : [],
  );
  const unremembered = await desk.remember(leaving);
  for (const [item, { session }] of ready) {
    const why = session && unremembered.get(session.id);
    if (why === undefined) continue;
    ready.delete(item);
    outcomes.push(skip(item, why));
  }
  await desk.trash.write(new Map([...ready].map(([item, { record }]) => [item, record])));
  const gone = new Set<string>();
  for (const [item, prepared] of ready) {
    const outcome = await take(desk, item, await stillFree(desk, prepared, gone));
    if (outcome.status === 'done') gone.add(item.item.id);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** A later part of its conversation may have met something after all. */
async function stillFree(
  { conversations }: TakeDesk,
  prepared: Prepared,
  gone: ReadonlySet<string>,
): Promise<Prepared> {
  const { session, leaves } = prepared;
  const why = session !== undefined && leaves ? await conversations.obstacle(session, gone) : undefined;
  return why === undefined ? prepared : { ...prepared, obstacle: () => why };
}

/** Which of the files of a session an item is about. */
export function piecesFor({ action }: Pick<RunItem, 'action'>, session: FoundSession): readonly SessionPiece[] {
  const pieces = piecesOf(session);
  return action === 'drop-files' || action === 'drop-dumps' ? pieces.filter(({ role }) => role === 'spare') : pieces;
}

interface Prepared {
  readonly record: TakenRecord;
  readonly session?: FoundSession;
  /** The session itself goes, and not only files of it. */
  readonly leaves: boolean;
  /** Why it stays after all, asked once more right before. */
  readonly obstacle: () => string | undefined;
}

async function prepare(desk: TakeDesk, item: RunItem, leaving: ReadonlySet<string>): Promise<Prepared | string> {
  try {
    return item.item.kind === 'session' ? await prepareSession(desk, item, leaving) : prepareStray(desk, item);
  } catch (error) {
    return errorSentence(error);
  }
}

async function prepareSession(
  { home, look, guard, conversations }: TakeDesk,
  item: RunItem,
  leaving: ReadonlySet<string>,
): Promise<Prepared | string> {
  const { id } = item.item;
  const session = look.byId.get(id);
  if (session === undefined) return (await rowObstacle(home, id)) ?? 'It is gone already.';
  const pieces = piecesFor(item, session);
  const obstacle = sessionObstacle(session, { place: home, look, guard, fingerprint: item.fingerprint });
  if (obstacle !== undefined) return obstacle;
  const leaves = pieces.some(({ role }) => role === 'transcript');
  const inTheWay = leaves ? (sharedObstacle(home) ?? (await conversations.obstacle(session, leaving))) : undefined;
  if (inTheWay !== undefined) return inTheWay;
  const shared = leaves ? await copyShared(home, id) : [];
  const record: TakenRecord = { version: 1, kind: 'session', id, pieces: takenPieces(pieces), shared };
  return { record, session, leaves, obstacle: () => guard.obstacle(session) };
}

/** Sessions that are rows are its agent's to take away. */
async function rowObstacle({ rows }: FileHome, id: string): Promise<string | undefined> {
  const row = (await rows?.look())?.byId.get(id);
  return row === undefined || rows === undefined ? undefined : heldBy(rows.agent.hold(row));
}

function prepareStray({ home, look, guard }: TakeDesk, { item, fingerprint }: RunItem): Prepared | string {
  const stray = look.sorted.strays.find(({ path }) => path === item.id);
  if (stray === undefined) {
    const { files, folders } = look.tree;
    return files.has(item.id) || folders.has(item.id) ? CHANGED : 'It is gone already.';
  }
  const { path, files } = stray;
  if (strayFingerprint(files) !== readFingerprint(fingerprint).own) return CHANGED;
  const piece: SessionPiece = { path, files, role: 'part', secret: false };
  const obstacle = fileObstacle(home.home, [piece]);
  if (obstacle !== undefined) return obstacle;
  const record: TakenRecord = { version: 1, kind: item.kind, id: item.id, pieces: takenPieces([piece]), shared: [] };
  return { record, leaves: false, obstacle: () => guard.strayObstacle?.(stray) };
}

/** What a crash left of an item: gone in full, or none of it, or nothing to begin with. */
async function settleBegun(desk: TakeDesk, item: RunItem): Promise<ItemOutcome | undefined> {
  const { trash, home } = desk;
  const record = trash.record(item);
  if (record === undefined) return undefined;
  const here = trash.here(item);
  const first = record.pieces.find(({ role }) => role === 'transcript') ?? record.pieces[0];
  const isTaken = first !== undefined && here.includes(first);
  if (isTaken && (first.role === 'transcript' || here.length === record.pieces.length))
    return finish(desk, item, record);
  const obstacle = obstacleOf(() => trash.letGo(item));
  if (obstacle !== undefined || trash.here(item).length > 0)
    return { number: item.number, status: 'unfinished', detail: obstacle ?? IN_THE_WAY };
  trash.sync();
  await putBackShared(home, record);
  await trash.purge(item);
  return undefined;
}

export const IN_THE_WAY = 'Something else stands where its files were.';

async function take(desk: TakeDesk, item: RunItem, { record, obstacle }: Prepared): Promise<ItemOutcome> {
  const { home, trash } = desk;
  const isSame = record.pieces.every((piece) => isAsWritten(home.home, piece));
  const why = obstacle() ?? (isSame ? obstacleOf(() => trash.take(item)) : CHANGED);
  return why === undefined ? finish(desk, item, record) : undo(desk, item, why);
}

/** The conversation is in the trash. What else was written down follows, unless somebody has put something new there. */
async function finish({ home, trash }: TakeDesk, item: RunItem, record: TakenRecord): Promise<ItemOutcome> {
  const here = new Set(trash.here(item));
  const left = record.pieces.filter((piece) => !here.has(piece));
  try {
    if (left.length > 0 && left.every((piece) => isAsWritten(home.home, piece))) trash.take(item);
    await takeOutShared(home, record);
    return done(item);
  } catch (error) {
    return { number: item.number, status: 'unfinished', detail: errorSentence(error) };
  }
}

/** Some of it may have moved before it met an obstacle. */
async function undo({ trash }: TakeDesk, item: RunItem, why: string): Promise<ItemOutcome> {
  const stuck = obstacleOf(() => trash.letGo(item));
  if (stuck !== undefined || trash.here(item).length > 0)
    return {
      number: item.number,
      status: 'unfinished',
      detail: `${why} A part of it is in the trash, and the next run goes on.`,
    };
  trash.sync();
  await trash.purge(item);
  return skip(item, why);
}
