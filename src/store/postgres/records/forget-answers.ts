import type { RequestState } from '../../../core/gateway/once.ts';
import type { Database } from '../database/database.ts';
import type { WriteTurn } from '../writing/write-turn.ts';

interface AnswerRow {
  readonly number: number;
  readonly state: RequestState;
  readonly result: string;
}

const PAGE = 500;

/**
 * Answers that are kept for whoever asks again tell titles and tags, and of what is removed for good no word stays. What was noted
 * with its effect goes on saying what that gave, without them; of any other answer it is known only that there was one.
 */
export async function forgetAnswers(db: Database, write: WriteTurn, ids: ReadonlySet<string>): Promise<void> {
  for (let after = 0; ; ) {
    const told = await db.all<AnswerRow>(
      `SELECT number, state, result FROM coppice.requests WHERE space = :space AND book = 'state' AND number > ? AND result <> ''
       AND (state <> 'noted' OR strpos(result, '"title":') > 0 OR strpos(result, '"tags":["') > 0) ORDER BY number LIMIT ${PAGE}`,
      after,
    );
    const found = told.filter(({ result }) => names(result, ids));
    if (found.length > 0) {
      await write(async (tx) => {
        for (const { number, state, result } of found) {
          const left = state === 'noted' ? withoutWords(result) : '';
          await tx.run('UPDATE coppice.requests SET result = ? WHERE number = ?', left, number);
        }
      });
    }
    const last = told.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
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
