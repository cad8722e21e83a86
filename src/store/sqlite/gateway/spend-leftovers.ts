/**
 * What is counted here and what the session store has must agree, wherever a process dies. A report is noted in the transaction that
 * counts it, and the note goes when the store has it. A note whose process died is taken over, and the store is asked to record it
 * once: it knows by the id of the note whether it has it already.
 */
import type { Database } from 'better-sqlite3';
import type { Reserved, SpendKey } from '../../../core/gateway/gateway.ts';
import type { CountedReport, LateUsage, LeftByDead, UsageNote } from '../../../core/gateway/spend-book.ts';
import type { UsageReport } from '../../../core/sessions/session.ts';
import type { Clock } from '../../../core/time.ts';
import { lostCall, type ReservedAmounts } from '../../rows/reserved-rows.ts';
import { ownerIsGone, type SpendOwner } from '../../rows/spend-owner.ts';
import type { Reservations } from './spend-reservations.ts';

export interface LeftoverParts {
  readonly clock: Clock;
  readonly owner: SpendOwner;
  readonly reservations: Pick<Reservations, 'takeOut'>;
  /** Counts amounts, inside a transaction. */
  readonly count: (keys: readonly SpendKey[], amounts: Reserved) => void;
}

export function createLeftovers(db: Database, parts: LeftoverParts) {
  const { clock, owner } = parts;
  const notes = createNotes(db, parts);
  const settle = db.transaction((text: string, newestAt: number) => {
    const taken = parts.reservations.takeOut(text, newestAt);
    const calls = taken.filter(({ isCall }) => isCall);
    const left = notes.takeOver(text, newestAt);
    return { givenBack: taken.length, calls, late: [...left, ...calls.map((call) => countCall(call, parts, notes))] };
  });
  const owners = db.prepare<[string], [string, number]>(OWNERS).raw();
  /** What was taken over and is not recorded yet, and calls that nobody was told of. */
  const late = new Map<string, LateUsage>();
  const untold: LeftByDead['calls'][number][] = [];
  const takeBackDead = (): boolean => {
    // Whether a process lives is asked outside of the transaction: it takes longer than everything in it.
    const gone = owners.all(owner.text).filter(([text, newestAt]) => ownerIsGone(text, newestAt, clock));
    const settled = gone.map(([text, newestAt]) => settle.immediate(text, newestAt));
    for (const each of settled.flatMap((of) => of.late)) late.set(each.id, each);
    for (const { session, tokens, nanoUsd } of settled.flatMap(({ calls }) => calls))
      untold.push({ sessionId: session, tokens, nanoUsd });
    return settled.some(({ givenBack }) => givenBack > 0);
  };
  return {
    note: (report: CountedReport): UsageNote => notes.write(report),
    recorded({ id }: UsageNote): void {
      notes.remove(id);
      late.delete(id);
    },
    /** Whether processes that have died had set anything aside. */
    takeBackDead,
    settleDead(): LeftByDead {
      takeBackDead();
      return { calls: untold.splice(0), unrecorded: [...late.values()], noted: notes.ids() };
    },
  };
}

const OWNERS = `SELECT owner, max(at) FROM
  (SELECT owner, reserved_at AS at FROM reserved UNION ALL SELECT owner, noted_at FROM unrecorded)
  WHERE owner <> ? GROUP BY owner`;

/** A call that may have been sent is counted as what was set aside for it: whoever is paid for it does not ask who is still there. */
function countCall(call: ReservedAmounts, { count }: Pick<LeftoverParts, 'count'>, notes: Notes): LateUsage {
  const { session, tokens, nanoUsd } = call;
  const { keys, usage } = lostCall(call);
  count(keys, { tokens, nanoUsd });
  return { ...notes.write({ sessionId: session, usage }), sessionId: session, usage };
}

/** The notes of what the session store may not have yet. */
function createNotes(db: Database, { clock, owner }: Pick<LeftoverParts, 'clock' | 'owner'>) {
  const insert = db.prepare('INSERT INTO unrecorded VALUES (?, ?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM unrecorded WHERE id = ?');
  const left = db.prepare<[string, number], NoteRow>(
    'SELECT id, session, report FROM unrecorded WHERE owner = ? AND noted_at <= ?',
  );
  const change = db.prepare('UPDATE unrecorded SET owner = ?, noted_at = ? WHERE id = ?');
  const ids = db.prepare<[], string>('SELECT id FROM unrecorded').pluck();
  return {
    write({ sessionId, usage, id = owner.nextId() }: CountedReport): UsageNote {
      insert.run(id, sessionId, JSON.stringify(usage), owner.text, clock.now());
      return { id };
    },
    remove: (id: string): void => void remove.run(id),
    /** Makes the notes of another its own: from now on nobody else records them. */
    takeOver(text: string, newestAt: number): readonly LateUsage[] {
      const rows = left.all(text, newestAt);
      for (const { id } of rows) change.run(owner.text, clock.now(), id);
      return rows.map(lateUsage);
    },
    ids: (): readonly string[] => ids.all(),
  };
}

type Notes = ReturnType<typeof createNotes>;

interface NoteRow {
  readonly id: string;
  readonly session: string;
  readonly report: string;
}

function lateUsage({ id, session, report }: NoteRow): LateUsage {
  return { id, sessionId: session, usage: JSON.parse(report) as UsageReport };
}
