import type { CountedReport, LateUsage, LeftByDead, UsageNote } from '../../../core/gateway/spend-book.ts';
import type { UsageReport } from '../../../core/sessions/session.ts';
import { lostCall, type ReservedAmounts } from '../../rows/reserved-rows.ts';
import { ownerIsGone } from '../../rows/spend-owner.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { type ReservationParts, takeOutReserved } from './spend-reservations.ts';
import { addToRows } from './spend-rows.ts';
import type { SpendTurn } from './spend-turn.ts';

/**
 * What is counted here and what the session store has must agree, wherever a process dies. A report is noted in the transaction that
 * counts it, and the note goes when the store has it. A note whose process died is taken over, and the store is asked to record it
 * once: it knows by the id of the note whether it has it already.
 */
export class Leftovers {
  readonly #db: Database;
  readonly #turn: SpendTurn;
  readonly #parts: ReservationParts;
  /** What was taken over and is not recorded yet, and calls that nobody was told of. */
  readonly #late = new Map<string, LateUsage>();
  readonly #untold: LeftByDead['calls'][number][] = [];

  constructor(db: Database, turn: SpendTurn, parts: ReservationParts) {
    this.#db = db;
    this.#turn = turn;
    this.#parts = parts;
  }

  async recorded({ id }: UsageNote): Promise<void> {
    await this.#turn((tx) =>
      tx.run('DELETE FROM coppice.unrecorded WHERE space = :space AND id_digest = ?', digestOf(id)),
    );
    this.#late.delete(id);
  }

  /** Whether processes that have died had set anything aside. */
  async takeBackDead(): Promise<boolean> {
    const { owner, clock } = this.#parts;
    const owners = await this.#db.all<{ owner: string; at: number }>(OWNERS, owner.text);
    let isGivenBack = false;
    // Whether a process lives is asked outside of the transaction: it takes longer than everything in it.
    for (const { owner: text, at } of owners.filter((each) => ownerIsGone(each.owner, each.at, clock))) {
      const settled = await this.#turn((tx) => this.#settle(tx, text, at));
      isGivenBack ||= settled.givenBack > 0;
      for (const late of settled.late) this.#late.set(late.id, late);
      for (const { session, tokens, nanoUsd } of settled.calls)
        this.#untold.push({ sessionId: session, tokens, nanoUsd });
    }
    return isGivenBack;
  }

  async settleDead(): Promise<LeftByDead> {
    await this.takeBackDead();
    const noted = await this.#db.all<{ id: string }>(
      'SELECT id FROM coppice.unrecorded WHERE space = :space ORDER BY id',
    );
    return { calls: this.#untold.splice(0), unrecorded: [...this.#late.values()], noted: noted.map(({ id }) => id) };
  }

  async #settle(tx: Sql, text: string, newestAt: number) {
    const taken = await takeOutReserved(tx, text, newestAt);
    const calls = taken.filter(({ isCall }) => isCall);
    const late = [...(await this.#takeOver(tx, text, newestAt))];
    for (const call of calls) late.push(await this.#countCall(tx, call));
    return { givenBack: taken.length, calls, late };
  }

  /** A call that may have been sent is counted as what was set aside for it: whoever is paid for it does not ask who is still there. */
  async #countCall(tx: Sql, call: ReservedAmounts): Promise<LateUsage> {
    const { session, tokens, nanoUsd } = call;
    const { keys, usage } = lostCall(call);
    await addToRows(tx, keys, { amounts: { tokens, nanoUsd }, now: this.#parts.clock.now() });
    const note = await writeNote(tx, { sessionId: session, usage }, this.#parts);
    return { ...note, sessionId: session, usage };
  }

  /** Makes the notes of another its own: from now on nobody else records them. */
  async #takeOver(tx: Sql, text: string, newestAt: number): Promise<readonly LateUsage[]> {
    const { owner, clock } = this.#parts;
    const rows = await tx.all<{ id: string; session: string; report: string }>(
      `UPDATE coppice.unrecorded SET owner = ?, noted_at = ? WHERE space = :space AND owner = ? AND noted_at <= ?
       RETURNING id, session, report`,
      owner.text,
      clock.now(),
      text,
      newestAt,
    );
    return rows.map(({ id, session, report }) => {
      return { id, sessionId: session, usage: JSON.parse(report) as UsageReport };
    });
  }
}

/** Notes what the session store is about to be told. */
export async function writeNote(
  tx: Sql,
  { sessionId, usage, id: given }: CountedReport,
  { owner, clock }: ReservationParts,
): Promise<UsageNote> {
  const id = given ?? owner.nextId();
  await tx.run(
    'INSERT INTO coppice.unrecorded VALUES (:space, ?, ?, ?, ?, ?, ?)',
    digestOf(id),
    id,
    sessionId,
    JSON.stringify(usage),
    owner.text,
    clock.now(),
  );
  return { id };
}

const OWNERS = `SELECT owner, max(at) AS at FROM
  (SELECT owner, reserved_at AS at FROM coppice.reserved WHERE space = :space
   UNION ALL SELECT owner, noted_at FROM coppice.unrecorded WHERE space = :space) every
  WHERE owner <> ? GROUP BY owner ORDER BY owner`;
