import type { RequestState } from '../../../core/gateway/once.ts';
import type { Connection } from '../database/connection.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';

interface AnswerRow {
  readonly number: number;
  readonly state: RequestState;
  readonly result: string;
}

/**
 * Answers that are kept for whoever asks again tell titles and tags, and of what is removed for good no word stays. What was noted
 * with its effect goes on saying what that gave, without them; of any other answer it is known only that there was one.
 */
export async function forgetAnswers(db: Connection, queue: PatientQueue, ids: ReadonlySet<string>): Promise<void> {
  const told = db.sql<[], AnswerRow>(
    `SELECT number, state, result FROM requests
      WHERE result <> '' AND (state <> 'noted' OR instr(result, '"title":') > 0 OR instr(result, '"tags":["') > 0)`,
  );
  const found: AnswerRow[] = [];
  for (const row of told.iterate()) if (names(row.result, ids)) found.push(row);
  if (found.length === 0) return;
  await queue.run(() => {
    const change = db.sql('UPDATE requests SET result = ? WHERE number = ?');
    for (const { number, state, result } of found) change.run(state === 'noted' ? withoutWords(result) : '', number);
  }, found.length);
}

function names(result: string, ids: ReadonlySet<string>): boolean {
  let isNamed = false;
  JSON.parse(result, (_, value: unknown) => {
    isNamed ||= typeof value === 'string' && ids.has(value);
    return value;
  });
  return isNamed;
}

function withoutWords(result: string): string {
  return JSON.stringify(JSON.parse(result), (key, value: unknown) => {
    if (key === 'title') return undefined;
    return key === 'tags' ? [] : value;
  });
}
