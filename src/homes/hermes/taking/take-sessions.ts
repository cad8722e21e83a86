import { join } from 'node:path';
import { skip } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../core/retention/run.ts';
import { obstacleOf } from '../../../platform/error-sentence.ts';
import { isTight } from '../../../platform/machine/file-system-facts.ts';
import type { MessageChunk } from '../database/record-tables.ts';
import { orRefusal, type Refusal } from '../database/refusal.ts';
import { readLiveness } from '../sessions/hermes-liveness.ts';
import { plainFile } from '../sessions/session-files.ts';
import { type PreparedTake, type PrepareParts, prepareTake } from './prepare-take.ts';
import { sessionExists, sessionState } from './return-rows.ts';
import { returnSessions } from './return-sessions.ts';
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
  /** Those that stay, and those of which a part could neither go nor come back. */
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
  const stuck: ItemOutcome[] = [];
  let left = [...items];
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const answers: Answered[] = [];
    while (answers.length < left.length) {
      const rest = left.slice(answers.length);
      const damage = answers.map(([, answer]) => answer).find(isDamage);
      answers.push(
        ...(damage === undefined ? await takeBatch(desk, rest) : rest.map((item) => [item, damage] as const)),
      );
    }
    left = [];
    for (const [item, answer] of answers) {
      if (answer === 'changed' && attempt < ATTEMPTS) left.push(item);
      else if (answer === 'changed') skipped.push(skip(item, CHANGED));
      else if ('unfinished' in answer)
        stuck.push({ number: item.number, status: 'unfinished', detail: answer.unfinished });
      else if ('stays' in answer) skipped.push(skip(item, answer.stays));
      else taken.push({ item, record: answer });
    }
  }
  // Nothing of those was taken, so nothing about them is needed here.
  desk.trash.records.forget(skipped.map(({ number }) => number));
  return { taken, skipped: [...skipped, ...stuck] };
}

/** Something in a session may change between its record and the lock without touching what the plan rests on. */
const ATTEMPTS = 4;

type Answer = SessionRecord | 'changed' | Refusal | Unfinished;
type Answered = readonly [RunItem, Answer];

/** A part of it went and did not come back yet. Its record is in the trash, and the next attempt goes on. */
interface Unfinished {
  readonly unfinished: string;
}

function isDamage(answer: Answer): answer is Refusal {
  return answer !== 'changed' && 'damaged' in answer;
}

/** As many of the first sessions as are written down together. Every one of them gets an answer. */
async function takeBatch(desk: TakeDesk, items: readonly RunItem[]): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  const takes: PreparedTake[] = [];
  const liveness = readLiveness(desk.home, desk.hermes, desk.now());
  const most = isTight(desk.home) ? SMALL_BATCH : BATCH;
  using writer = desk.trash.records.write();
  for (const item of items) {
    if (writer.sizeBytes > most.bytes || answers.length + takes.length >= most.items) break;
    const take = await beginTake(desk, item, { liveness, writer });
    if (typeof take === 'string') answers.push([item, { stays: take }]);
    else if ('row' in take) takes.push(take);
    else answers.push([item, take]);
  }
  desk.links.add(takes.flatMap(({ record: { id: parent }, children }) => children.map((child) => ({ child, parent }))));
  writer.seal();
  for (let first = 0; first < takes.length; ) {
    const some = takes.slice(first);
    const damage = answers.map(([, answer]) => answer).find(isDamage);
    const rows = damage === undefined ? await takeNext(desk, some) : some.map(() => damage);
    rows.forEach((answer, at) => {
      const take = some[at];
      if (take !== undefined) answers.push([take.item, answerOf(take, answer)]);
    });
    first += rows.length;
  }
  await desk.hermes.settle();
  const settled: Answered[] = [];
  for (const [item, answer] of answers) settled.push([item, await withFiles(desk, item, answer)]);
  return settled;
}

/** Goes on where a crash cut it short, or writes a session down. One that is neither here nor there keeps what the trash has of it. */
async function beginTake(
  desk: TakeDesk,
  item: RunItem,
  parts: PrepareParts,
): Promise<SessionRecord | PreparedTake | Refusal | Unfinished | string> {
  const before = await orRefusal(() => takenBefore(desk, item));
  if (before === undefined) return orRefusal(() => prepareTake(desk, item, parts));
  return 'stays' in before ? unfinished(before) : before;
}

function unfinished({ stays }: Refusal): Unfinished {
  return { unfinished: `${stays} A part of it may be in the trash, and the next run goes on.` };
}

/** A few syncs serve so many, and the write lock is free while they are written down. */
const BATCH = { items: 250, bytes: 4 * 1024 * 1024 };
/** On a disk that is nearly full: the log of Hermes' database is as large as what one batch writes. */
const SMALL_BATCH = { items: 4, bytes: 32 * 1024 };

/** The first session alone when it is long, else as many as one short step has time for. In order: later parts go first. */
async function takeNext(desk: TakeDesk, takes: readonly PreparedTake[]): Promise<readonly (RowsTaken | Unfinished)[]> {
  const [first] = takes;
  desk.tombstones.expect();
  if (first !== undefined && !desk.hermes.hasTimeFor(first.record.chunks)) return [await takeInSteps(desk, first)];
  return takeRows(desk, takes);
}

function answerOf({ record }: PreparedTake, rows: RowsTaken | Unfinished): Answer {
  return rows === 'taken' ? record : rows;
}

/** The record of a session whose rows went before a crash. One of which only a part went is made whole first. */
async function takenBefore(desk: TakeDesk, { number }: RunItem): Promise<SessionRecord | undefined> {
  const { hermes, trash } = desk;
  if (!trash.records.has(number)) return undefined;
  const record = await readRecord(trash.records, number);
  if (sessionState(hermes, record) !== 'same') return record;
  const cutShort = trash.records.hasMark(number, 'taking') || trash.records.hasMark(number, 'returning');
  if (cutShort) await putBack(desk, number, record);
  return undefined;
}

/**
 * A long session goes newest messages first, in many short steps, so that what is left is always a beginning of it. Each step
 * looks again whether it is in use by now; if so, everything that has gone comes back.
 */
async function takeInSteps(desk: TakeDesk, take: PreparedTake): Promise<RowsTaken | Unfinished> {
  const { record, item } = take;
  desk.trash.records.mark([item.number], 'taking');
  let left = record.chunks;
  let answer: RowsTaken = 'taken';
  while (answer === 'taken' && left.length > 1 && !desk.hermes.hasTimeFor(left)) {
    const chunks = lastFitting(desk, left);
    const rest = { ...take, left };
    answer = await orRefusal(() => takeChunks(desk, rest, chunks));
    left = left.slice(0, left.length - chunks.length);
  }
  if (answer === 'taken') [answer = 'changed'] = await takeRows(desk, [{ ...take, left }]);
  if (answer === 'taken') return answer;
  const stuck = await orRefusal(() => putBack(desk, item.number, record));
  return stuck === undefined ? answer : unfinished(stuck);
}

/** At least one, and never the first: what is left is still the same session. */
function lastFitting({ hermes }: TakeDesk, left: readonly MessageChunk[]): readonly MessageChunk[] {
  let from = left.length - 1;
  while (from > 1 && hermes.hasTimeFor(left.slice(from - 1))) from -= 1;
  return left.slice(from);
}

/** Hermes may have removed the session itself meanwhile; then the record has all of it. */
async function putBack({ hermes, trash, tombstones }: TakeDesk, number: number, record: SessionRecord): Promise<void> {
  await tombstones.clear(hermes);
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

/** The rows are gone by now. Where a file of it cannot go the same way, the session comes back as it was. */
async function withFiles(desk: TakeDesk, item: RunItem, answer: Answer): Promise<Answer> {
  if (answer === 'changed' || !('chunks' in answer)) return answer;
  const left = moveFiles(desk, item.number, item.item.id);
  if (left === undefined) return answer;
  const [back] = await returnSessions(desk, [item]);
  if (back?.status === 'unfinished') return unfinished({ stays: back.detail });
  return back?.status === 'done' ? { stays: `sessions/${left} could not be moved, so it stays.` } : answer;
}

/** The name of a file that is still where it was. */
function moveFiles({ home, hermes, trash, files }: TakeDesk, number: number, id: string): string | undefined {
  // Another session may have taken the id since a crash: then the files are that one's.
  if (sessionExists(hermes, id)) return undefined;
  const names = files.of(id).map(({ name }) => name);
  let before: readonly string[] = names;
  const obstacle = obstacleOf(() => {
    before = trash.files.take(number, names);
  });
  // One that is in the way does not keep the others.
  if (obstacle !== undefined) for (const name of names) obstacleOf(() => void trash.files.take(number, [name]));
  // A file that was there when its place in the trash was taken stays, and so does one that cannot be moved.
  return before.find((name) => plainFile(join(home, 'sessions', name)) !== undefined);
}
