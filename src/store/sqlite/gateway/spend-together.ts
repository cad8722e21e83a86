import type { Database } from 'better-sqlite3';
import type { Amounts, SpendKey } from '../../../core/gateway/gateway.ts';
import type {
  AddedSpend,
  AddedWith,
  Allows,
  CorrectedWith,
  KeptChange,
  NewCorrection,
  Reservation,
  StepTogether,
  UsageNote,
} from '../../../core/gateway/spend-book.ts';
import type { Clock } from '../../../core/time.ts';
import type { RequestRows } from '../database/request-rows.ts';
import type { SpendRows } from './spend-rows.ts';

interface TogetherParts {
  readonly counting: {
    readonly rows: SpendRows;
    readonly add: (keys: readonly SpendKey[], amounts: Amounts, also: AddedWith) => UsageNote | undefined;
    take(step: StepTogether<unknown>['step'], allows: Allows): Reservation | boolean;
  };
  readonly keep: (kept: KeptChange) => void;
  readonly notes: { correct(keys: readonly SpendKey[], correction: NewCorrection): boolean };
  readonly requests: RequestRows;
}

/** What is counted together with more: all of it in one transaction, under a key once. */
export function createTogether(db: Database, { counting, keep, notes, requests }: TogetherParts) {
  const add = db.transaction((keys: readonly SpendKey[], amounts: Amounts, also: AddedWith): AddedSpend => {
    let isRepeat = true;
    const note = requests.once(also.once, () => {
      isRepeat = false;
      if (also.keep !== undefined) keep(also.keep);
      return counting.add(keys, amounts, also);
    });
    return { note, isRepeat };
  });
  const correct = db.transaction((keys: readonly SpendKey[], correction: NewCorrection, also: CorrectedWith) => {
    const { once, known } = also;
    if (once !== undefined && requests.find(once.key) !== undefined) return true;
    if (known !== undefined) counting.rows.beginCorrected(known.key, known.totals);
    const isDone = notes.correct(keys, correction);
    // What was refused may be asked for again.
    if (isDone && once !== undefined) requests.put(once, 'noted', 'null');
    return isDone;
  });
  const step = db.transaction(({ once, ...wanted }: StepTogether<unknown>, allows: Allows) => {
    return requests.once(once, () => {
      if (wanted.keep !== undefined) keep(wanted.keep);
      return wanted.answer(counting.take(wanted.step, allows));
    });
  });
  return {
    add: (keys: readonly SpendKey[], amounts: Amounts, also: AddedWith) => add.immediate(keys, amounts, also),
    correct: (keys: readonly SpendKey[], correction: NewCorrection, also: CorrectedWith) =>
      correct.immediate(keys, correction, also),
    step: <T>(wanted: StepTogether<T>, allows: Allows) => step.immediate(wanted, allows) as T,
  };
}

/** Reads, changes and writes what is kept of a session, with the write lock held: two processes never count from the same. */
export function keeper(db: Database, clock: Clock): (kept: KeptChange) => void {
  const readKept = db.prepare<[string], string>('SELECT text FROM kept WHERE session_id = ?').pluck();
  const writeKept = db.prepare('INSERT OR REPLACE INTO kept (session_id, text, updated_at) VALUES (?, ?, ?)');
  const dropKept = db.prepare('DELETE FROM kept WHERE session_id = ?');
  const keep = db.transaction(({ sessionId, change }: KeptChange) => {
    const before = readKept.get(sessionId);
    const after = change(before);
    if (after === before) return;
    if (after === undefined) dropKept.run(sessionId);
    else writeKept.run(sessionId, after, clock.now());
  });
  return (kept: KeptChange): void => keep.immediate(kept);
}
