import type { ItemOutcome, RunItem } from '../../core/run.ts';
import { messageId } from './record-tables.ts';
import { fitsSchema, returnRows, sessionExists, sessionState } from './return-rows.ts';
import { readRecord } from './session-record.ts';
import type { TakeDesk } from './take-desk.ts';

/**
 * Brings sessions back: files first, then rows, so that nothing of one is visible to Hermes before all of it can be. One is
 * skipped when anything has taken the place of its id, its files, its title or the numbers of its messages.
 */
export async function returnSessions(desk: TakeDesk, items: readonly RunItem[]): Promise<ItemOutcome[]> {
  const { records } = desk.trash;
  const here = items.filter(({ number }) => records.has(number)).map(({ number }) => number);
  const begun = new Set(here.filter((number) => records.hasMark(number, 'returning')));
  records.mark(here, 'returning');
  const outcomes: ItemOutcome[] = [];
  for (const { number, item } of items) {
    const detail = await returnOrSay(desk, { number, id: item.id, begun: begun.has(number) });
    outcomes.push(detail === undefined ? { number, status: 'done' } : { number, status: 'skipped', detail });
  }
  await desk.hermes.settle();
  const stays = new Set(outcomes.filter(({ status }) => status === 'skipped').map(({ number }) => number));
  records.mark(
    here.filter((number) => stays.has(number)),
    'none',
  );
  // Without a record, whoever comes after a crash knows that the session is back.
  records.forget(here.filter((number) => !stays.has(number)));
  return outcomes;
}

interface ReturnRequest {
  readonly number: number;
  readonly id: string;
  /** It was on its way before. */
  readonly begun: boolean;
}

async function returnOrSay(desk: TakeDesk, { number, id, begun }: ReturnRequest): Promise<string | undefined> {
  const { hermes, trash } = desk;
  // It came back before a crash, or twice was asked for.
  if (!trash.records.has(number)) return sessionExists(hermes, id) ? undefined : 'Its messages are gone for good.';
  let numbersTaken = false;
  const taken = hermes.db.prepare('SELECT 1 FROM messages WHERE id = ? AND session_id <> ?');
  const record = await readRecord(trash.records, number, ({ columns, lines }) => {
    numbersTaken ||= lines.some((line) => taken.get(messageId(columns, line), id) !== undefined);
  });
  const state = sessionState(hermes, record);
  if (state === 'other' || (state === 'same' && !begun)) return 'Another session has its id by now.';
  if (numbersTaken) return 'Other messages have the numbers of its messages by now.';
  if (!fitsSchema(hermes, record)) return 'Hermes has changed the tables it came from.';
  const names = trash.names(number);
  if (!trash.giveBack(number)) return 'Something else stands where its files were.';
  const refused = await returnRows(desk, number, record);
  if (refused !== undefined) trash.take(number, names);
  return refused;
}
