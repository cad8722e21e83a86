import { done } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../core/retention/run.ts';
import { obstacleOf } from '../../../platform/error-sentence.ts';
import { messageId } from '../database/record-tables.ts';
import { orRefusal } from '../database/refusal.ts';
import {
  type ComingSession,
  fitsSchema,
  type ReturnRefusal,
  returnRows,
  sessionExists,
  sessionState,
} from './return-rows.ts';
import { readRecord } from './session-record.ts';
import type { RecordedMessages } from './settle-messages.ts';
import type { TakeDesk } from './take-desk.ts';

/**
 * Brings sessions back: files first, then rows, so that nothing of one is visible to Hermes before all of it can be. One is
 * skipped when anything has taken the place of its id, its files, its title or the numbers of its messages.
 */
export async function returnSessions(desk: TakeDesk, items: readonly RunItem[]): Promise<ItemOutcome[]> {
  const { records } = desk.trash;
  const here = items.filter(({ number }) => records.has(number)).map(({ number }) => number);
  const begun = new Set(here.filter((number) => records.hasMark(number, 'returning')));
  const statusOf = (number: number) => (begun.has(number) ? 'unfinished' : 'skipped');
  const refused = here.length > 0 ? await orRefusal(() => desk.tombstones.clear(desk.hermes)) : undefined;
  if (refused !== undefined) {
    // None of them may come, and for the others nothing has to.
    const others = items.filter(({ number }) => !records.has(number));
    const staying = here.map((number) => ({ number, status: statusOf(number), detail: refused.stays }) as const);
    return [...staying, ...(await returnSessions(desk, others))];
  }
  records.mark(here, 'returning');
  const outcomes: ItemOutcome[] = [];
  const say = (number: number, detail: string | undefined, status: 'skipped' | 'unfinished' = 'skipped') => {
    outcomes.push(detail === undefined ? done({ number }) : { number, status, detail });
  };
  let together: ComingSession[] = [];
  const bring = async () => {
    for (const [at, refusal] of (await returnOrLeave(desk, together)).entries())
      say(together[at]?.number ?? 0, refusal?.stays, refusal?.begun === true ? 'unfinished' : 'skipped');
    together = [];
  };
  for (const { number, item } of items) {
    const coming = await orRefusal(() => prepareReturn(desk, { number, id: item.id, begun: begun.has(number) }));
    if (coming === undefined || 'stays' in coming) {
      say(number, coming?.stays, coming !== undefined && 'status' in coming ? coming.status : statusOf(number));
      continue;
    }
    if (!fitTogether(desk, [...together, coming])) await bring();
    together.push(coming);
  }
  await bring();
  await desk.hermes.settle();
  const stays = new Set(outcomes.filter(({ status }) => status === 'skipped').map(({ number }) => number));
  records.mark(
    here.filter((number) => stays.has(number)),
    'none',
  );
  // Without a record, whoever comes after a crash takes it that the session is back with all its files.
  await desk.trash.files.sync();
  const back = new Set(outcomes.filter(({ status }) => status === 'done').map(({ number }) => number));
  records.forget(here.filter((number) => back.has(number)));
  return outcomes;
}

interface ReturnRequest {
  readonly number: number;
  readonly id: string;
  /** It was on its way before. */
  readonly begun: boolean;
}

/** Why a session stays. One of which a part came back already is unfinished: its record and its mark are needed to go on. */
interface Staying {
  readonly stays: string;
  readonly status: 'skipped' | 'unfinished';
}

/** Brings the files of a session back, if nothing is in its way. Undefined when it is back already. */
async function prepareReturn(
  desk: TakeDesk,
  { number, id, begun }: ReturnRequest,
): Promise<ComingSession | Staying | undefined> {
  const { hermes, trash } = desk;
  // It came back before a crash, or twice was asked for.
  if (!trash.records.has(number))
    return sessionExists(hermes, id) ? undefined : skipped('Its messages are gone for good.');
  let numbersTaken = false;
  const taken = hermes.db.prepare(
    'SELECT 1 FROM json_each(?) AS c CROSS JOIN messages AS m ON m.id = c.value WHERE m.session_id <> ? LIMIT 1',
  );
  const pieces: Omit<RecordedMessages, 'record'>[] = [];
  let short = true;
  const record = await readRecord(trash.records, number, (messages, chunk) => {
    const { columns, lines } = messages;
    numbersTaken ||= taken.get(`[${lines.map((line) => messageId(columns, line)).join()}]`, id) !== undefined;
    short &&= hermes.hasTimeFor([...pieces.map((piece) => piece.chunk), chunk]);
    if (short) pieces.push({ messages, chunk });
  });
  const state = sessionState(hermes, record);
  if (state === 'other' || (state === 'same' && !begun)) return skipped('Another session has its id by now.');
  const staying = (stays: string): Staying => ({ stays, status: state === 'same' ? 'unfinished' : 'skipped' });
  if (numbersTaken) return staying('Other messages have the numbers of its messages by now.');
  if (!fitsSchema(hermes, record)) return staying('Hermes has changed the tables it came from.');
  const files = trash.files.names(number);
  const inTheWay = obstacleOf(() =>
    trash.bringBack(number) ? undefined : 'Something else stands where its files were.',
  );
  if (inTheWay !== undefined) {
    // Some of them may be back already, and they belong together.
    obstacleOf(() => void trash.files.take(number, files));
    return staying(inTheWay);
  }
  const messages = pieces.map((piece) => ({ record, ...piece }));
  return { number, record, files, begun: state === 'same', ...(short && { messages }) };
}

function skipped(stays: string): Staying {
  return { stays, status: 'skipped' };
}

/** One by one where there is no time for more in one step. */
function fitTogether({ hermes }: TakeDesk, coming: readonly ComingSession[]): boolean {
  const all = coming.flatMap(({ messages = [] }) => messages.map(({ chunk }) => chunk));
  return coming.every(({ messages }) => messages !== undefined) && hermes.hasTimeFor(all) && coming.length <= TOGETHER;
}

/** Sessions without messages take their time too. */
const TOGETHER = 100;

/** Files of those that the database refuses go back into the trash. */
async function returnOrLeave(
  desk: TakeDesk,
  coming: readonly ComingSession[],
): Promise<readonly (ReturnRefusal | undefined)[]> {
  const refused = await returnRows(desk, coming);
  for (const [at, { number, files }] of coming.entries()) {
    if (refused[at]?.begun === false) desk.trash.files.take(number, files);
  }
  return refused;
}
