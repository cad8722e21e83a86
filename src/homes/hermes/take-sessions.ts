import { Failure } from '../../core/failure.ts';
import type { ItemOutcome, RunItem } from '../../core/run.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readLiveness } from './hermes-liveness.ts';
import { type PreparedTake, prepareTake } from './prepare-take.ts';
import { sessionExists, sessionState } from './return-rows.ts';
import { CHANGED } from './session-obstacle.ts';
import { dropRecord, hasRecord, readRecord, type SessionRecord, sealRecords } from './session-record.ts';
import { settleMessages } from './settle-messages.ts';
import type { TakeDesk } from './take-desk.ts';
import { type RowsTaken, takeChunk, takeRows } from './take-rows.ts';
import { clearMarks, hasMark, setMark } from './trash-marks.ts';

/** A session whose rows are in the trash now. */
export interface TakenSession {
  readonly item: RunItem;
  readonly record: SessionRecord;
}

export interface TakenSessions {
  readonly taken: readonly TakenSession[];
  readonly skipped: readonly ItemOutcome[];
}

/**
 * Takes sessions with their rows and files into the trash. The order makes it safe to be cut short anywhere: the record is on
 * disk, then the rows go, then the files are moved. Whoever comes after finishes: rows that are gone stay gone, and a long
 * session of which only a part is gone is made whole and begun again.
 */
export async function takeSessions(desk: TakeDesk, items: readonly RunItem[]): Promise<TakenSessions> {
  const taken: TakenSession[] = [];
  const skipped: ItemOutcome[] = [];
  const settle = (item: RunItem, answer: SessionRecord | string) => {
    if (typeof answer === 'string') {
      letStay(desk, item);
      skipped.push({ number: item.number, status: 'skipped', detail: answer });
      return;
    }
    taken.push({ item, record: answer });
  };
  let left = [...items];
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const changed: RunItem[] = [];
    for (const [item, answer] of await takeOnce(desk, left)) {
      if (answer === 'changed' && attempt < ATTEMPTS) changed.push(item);
      else settle(item, answer === 'changed' ? CHANGED : answer);
    }
    left = changed;
  }
  for (const { item } of taken) moveFiles(desk, item);
  return { taken, skipped };
}

/** Something in a session may change between its record and the lock without touching what the plan rests on. */
const ATTEMPTS = 4;

type Answer = SessionRecord | 'changed' | (string & {});

async function takeOnce(desk: TakeDesk, items: readonly RunItem[]): Promise<ReadonlyMap<RunItem, Answer>> {
  const answers = new Map<RunItem, Answer>();
  const takes: PreparedTake[] = [];
  const liveness = readLiveness(desk.home, desk.hermes, desk.now());
  for (const item of items) {
    const take = (await takenBefore(desk, item)) ?? (await prepareTake(desk, item, liveness));
    if (typeof take === 'string' || !('record' in take)) answers.set(item, take);
    else takes.push(take);
  }
  desk.links.add(takes.flatMap(({ record: { id: parent }, children }) => children.map((child) => ({ child, parent }))));
  await sealRecords(takes.map(({ item }) => desk.trash.place(item.number)));
  const small = takes.filter(({ record }) => record.chunks.length <= 1);
  for (const take of takes) {
    if (take.record.chunks.length > 1) answers.set(take.item, answerOf(take, await takeInChunks(desk, take)));
  }
  for (let first = 0; first < small.length; ) {
    const rows = await takeRows(desk, small.slice(first));
    small.slice(first, first + rows.length).forEach((take, at) => {
      answers.set(take.item, answerOf(take, rows[at] ?? 'changed'));
    });
    first += rows.length;
  }
  return answers;
}

function answerOf({ record }: PreparedTake, rows: RowsTaken): Answer {
  if (rows === 'taken') return record;
  return rows === 'changed' ? 'changed' : rows.stays;
}

/** The record of a session whose rows went before a crash. One of which only a part went is made whole first. */
async function takenBefore(desk: TakeDesk, { number }: RunItem): Promise<SessionRecord | undefined> {
  const { hermes, trash } = desk;
  if (!hasRecord(trash.place(number))) return undefined;
  const record = await readRecord(trash.place(number));
  if (sessionState(hermes, record) !== 'same') return record;
  if (hasMark(trash.place(number), 'taking')) await putBack(desk, number, record);
  return undefined;
}

/**
 * A long session goes newest messages first, in many short steps, so that what is left is always a beginning of it. Each step
 * looks again whether it is in use by now; if so, everything that has gone comes back.
 */
async function takeInChunks(desk: TakeDesk, take: PreparedTake): Promise<RowsTaken> {
  const { record, item } = take;
  setMark(desk.trash.place(item.number), 'taking');
  let left = record.chunks.reduce((sum, { count }) => sum + count, 0);
  for (const chunk of record.chunks.slice(1).toReversed()) {
    const answer = await takeChunk(desk, take, { chunk, left });
    if (answer !== 'taken') {
      await putBack(desk, item.number, record);
      return answer;
    }
    left -= chunk.count;
  }
  const [answer = 'changed'] = await takeRows(desk, [take]);
  if (answer !== 'taken') await putBack(desk, item.number, record);
  return answer;
}

/** Hermes may have removed the session itself meanwhile; then the record has all of it. */
async function putBack({ hermes, trash }: TakeDesk, number: number, record: SessionRecord): Promise<void> {
  await readRecord(trash.place(number), (messages) =>
    hermes.write(() => {
      if (sessionState(hermes, record) === 'same') settleMessages(hermes, record, messages);
    }),
  );
  clearMarks(trash.place(number));
}

/** Nothing of it was taken, so nothing about it is needed here. */
function letStay({ trash }: TakeDesk, { number }: RunItem): void {
  dropRecord(trash.place(number));
  trash.purge(number);
}

/** The rows are gone by now. A file that cannot be moved stays where it is, as an orphan that the next scan shows. */
function moveFiles({ hermes, trash, files }: TakeDesk, { number, item }: RunItem): void {
  // Another session may have taken the id since a crash: then the files are that one's.
  if (sessionExists(hermes, item.id)) return;
  for (const { name } of files.of(item.id)) {
    try {
      trash.take(number, [name]);
    } catch (error) {
      if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
    }
  }
}
