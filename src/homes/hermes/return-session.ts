import type { ItemOutcome, RunItem } from '../../core/run.ts';
import { messageId } from './record-tables.ts';
import { fitsSchema, returnRows, sessionExists, sessionState } from './return-rows.ts';
import { dropRecord, hasRecord, readRecord } from './session-record.ts';
import type { TakeDesk } from './take-desk.ts';
import { clearMarks, hasMark, setMark } from './trash-marks.ts';

/**
 * Brings a session back: files first, then rows, so that nothing of it is visible to Hermes before all of it can be. It is
 * skipped when anything has taken the place of its id, its files, its title or the numbers of its messages.
 */
export async function returnSession(desk: TakeDesk, { number, item }: RunItem): Promise<ItemOutcome> {
  const obstacle = await returnOrSay(desk, number, item.id);
  return obstacle === undefined ? { number, status: 'done' } : { number, status: 'skipped', detail: obstacle };
}

async function returnOrSay(desk: TakeDesk, number: number, id: string): Promise<string | undefined> {
  const { hermes, trash } = desk;
  const place = trash.place(number);
  if (!hasRecord(place)) {
    // It came back before a crash, or twice was asked for.
    if (!sessionExists(hermes, id)) return 'Its messages are gone for good.';
    forget(desk, number);
    return undefined;
  }
  let numbersTaken = false;
  const taken = hermes.db.prepare('SELECT 1 FROM messages WHERE id = ? AND session_id <> ?');
  const record = await readRecord(place, ({ columns, lines }) => {
    numbersTaken ||= lines.some((line) => taken.get(messageId(columns, line), id) !== undefined);
  });
  const state = sessionState(hermes, record);
  if (state === 'other' || (state === 'same' && !hasMark(place, 'returning')))
    return 'Another session has its id by now.';
  if (numbersTaken) return 'Other messages have the numbers of its messages by now.';
  if (!fitsSchema(hermes, record)) return 'Hermes has changed the tables it came from.';
  const names = trash.names(number);
  setMark(place, 'returning');
  if (!trash.giveBack(number)) return stays(place, 'Something else stands where its files were.');
  const refused = await returnRows(desk, number, record);
  if (refused !== undefined) {
    trash.take(number, names);
    return stays(place, refused);
  }
  forget(desk, number);
  return undefined;
}

function stays(place: string, sentence: string): string {
  clearMarks(place);
  return sentence;
}

/** The record first: without it, whoever comes after a crash knows that the session is back. */
function forget({ trash }: TakeDesk, number: number): void {
  dropRecord(trash.place(number));
  trash.purge(number);
}
