import { Failure } from '../../core/failure.ts';
import { skip } from '../../core/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/run.ts';
import { errorCode } from '../../platform/error-code.ts';
import { readLiveness } from './hermes-liveness.ts';
import { type PreparedTake, prepareTake } from './prepare-take.ts';
import type { MessageChunk } from './record-tables.ts';
import { sessionExists, sessionState } from './return-rows.ts';
import { CHANGED } from './session-obstacle.ts';
import { readRecord, type SessionRecord } from './session-record.ts';
import { settleMessages } from './settle-messages.ts';
import type { TakeDesk } from './take-desk.ts';
import { type RowsTaken, takeChunks, takeRows } from './take-rows.ts';

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
  let left = [...items];
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const answers: [RunItem, Answer][] = [];
    while (answers.length < left.length) answers.push(...(await takeBatch(desk, left.slice(answers.length))));
    left = [];
    for (const [item, answer] of answers) {
      if (typeof answer !== 'string') taken.push({ item, record: answer });
      else if (answer === 'changed' && attempt < ATTEMPTS) left.push(item);
      else skipped.push(skip(item, answer === 'changed' ? CHANGED : answer));
    }
  }
  // Nothing of those was taken, so nothing about them is needed here.
  desk.trash.records.forget(skipped.map(({ number }) => number));
  return { taken, skipped };
}

/** Something in a session may change between its record and the lock without touching what the plan rests on. */
const ATTEMPTS = 4;

type Answer = SessionRecord | 'changed' | (string & {});

/** As many of the first sessions as are written down together. Every one of them gets an answer. */
async function takeBatch(desk: TakeDesk, items: readonly RunItem[]): Promise<readonly [RunItem, Answer][]> {
  const answers: [RunItem, Answer][] = [];
  const takes: PreparedTake[] = [];
  const liveness = readLiveness(desk.home, desk.hermes, desk.now());
  using writer = desk.trash.records.write();
  for (const item of items) {
    if (writer.sizeBytes > BATCH_BYTES || answers.length + takes.length >= BATCH_ITEMS) break;
    const take = (await takenBefore(desk, item)) ?? (await prepareTake(desk, item, { liveness, writer }));
    if (typeof take === 'string' || !('record' in take)) answers.push([item, take]);
    else takes.push(take);
  }
  desk.links.add(takes.flatMap(({ record: { id: parent }, children }) => children.map((child) => ({ child, parent }))));
  writer.seal();
  for (let first = 0; first < takes.length; ) {
    const some = takes.slice(first);
    const rows = await takeNext(desk, some);
    rows.forEach((answer, at) => {
      const take = some[at];
      if (take !== undefined) answers.push([take.item, answerOf(take, answer)]);
    });
    first += rows.length;
  }
  await desk.hermes.settle();
  for (const [{ number, item }, answer] of answers) if (typeof answer !== 'string') moveFiles(desk, number, item.id);
  return answers;
}

/** A few syncs serve so many, and the write lock is free while they are written down. */
const BATCH_ITEMS = 100;
const BATCH_BYTES = 1024 * 1024;

/** The first session alone when it is long, else as many as one short step has time for. In order: later parts go first. */
async function takeNext(desk: TakeDesk, takes: readonly PreparedTake[]): Promise<readonly RowsTaken[]> {
  const [first] = takes;
  if (first !== undefined && !desk.hermes.hasTimeFor(first.record.chunks)) return [await takeInSteps(desk, first)];
  return takeRows(desk, takes);
}

function answerOf({ record }: PreparedTake, rows: RowsTaken): Answer {
  if (rows === 'taken') return record;
  return rows === 'changed' ? 'changed' : rows.stays;
}

/** The record of a session whose rows went before a crash. One of which only a part went is made whole first. */
async function takenBefore(desk: TakeDesk, { number }: RunItem): Promise<SessionRecord | undefined> {
  const { hermes, trash } = desk;
  if (!trash.records.has(number)) return undefined;
  const record = await readRecord(trash.records, number);
  if (sessionState(hermes, record) !== 'same') return record;
  if (trash.records.hasMark(number, 'taking')) await putBack(desk, number, record);
  return undefined;
}

/**
 * A long session goes newest messages first, in many short steps, so that what is left is always a beginning of it. Each step
 * looks again whether it is in use by now; if so, everything that has gone comes back.
 */
async function takeInSteps(desk: TakeDesk, take: PreparedTake): Promise<RowsTaken> {
  const { record, item } = take;
  desk.trash.records.mark([item.number], 'taking');
  let left = record.chunks;
  let answer: RowsTaken = 'taken';
  while (answer === 'taken' && left.length > 1 && !desk.hermes.hasTimeFor(left)) {
    const chunks = lastFitting(desk, left);
    answer = await takeChunks(desk, { ...take, left }, chunks);
    left = left.slice(0, left.length - chunks.length);
  }
  if (answer === 'taken') [answer = 'changed'] = await takeRows(desk, [{ ...take, left }]);
  if (answer !== 'taken') await putBack(desk, item.number, record);
  return answer;
}

/** At least one, and never the first: what is left is still the same session. */
function lastFitting({ hermes }: TakeDesk, left: readonly MessageChunk[]): readonly MessageChunk[] {
  let from = left.length - 1;
  while (from > 1 && hermes.hasTimeFor(left.slice(from - 1))) from -= 1;
  return left.slice(from);
}

/** Hermes may have removed the session itself meanwhile; then the record has all of it. */
async function putBack({ hermes, trash }: TakeDesk, number: number, record: SessionRecord): Promise<void> {
  await readRecord(trash.records, number, async (messages, chunk) => {
    const settle = settleMessages(hermes, [{ record, messages, chunk }]);
    await hermes.write(
      () => {
        if (sessionState(hermes, record) === 'same') settle();
      },
      () => [chunk],
    );
  });
  await hermes.settle();
  trash.records.mark([number], 'none');
}

/** The rows are gone by now. A file that cannot be moved stays where it is, as an orphan that the next scan shows. */
function moveFiles({ hermes, trash, files }: TakeDesk, number: number, id: string): void {
  // Another session may have taken the id since a crash: then the files are that one's.
  if (sessionExists(hermes, id)) return;
  const names = files.of(id).map(({ name }) => name);
  const taken = (some: readonly string[]) => {
    try {
      trash.take(number, some);
      return true;
    } catch (error) {
      if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
      return false;
    }
  };
  // One that is in the way does not keep the others.
  if (!taken(names)) for (const name of names) taken([name]);
}
