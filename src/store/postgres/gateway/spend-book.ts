import type { Amounts, SpendKey } from '../../../core/gateway/gateway.ts';
import type {
  AddedSpend,
  AddedWith,
  Allows,
  CorrectedWith,
  FoundCounted,
  FoundSpend,
  NewCorrection,
  Reservation,
  ReserveRequest,
  SpendBook,
  SpendStep,
  StepTogether,
  UsageNote,
} from '../../../core/gateway/spend-book.ts';
import type { ProcessIdentity } from '../../../core/sessions/lease-holder.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import { besideReserved } from '../../rows/reserved-rows.ts';
import { createSpendOwner, type SpendOwner } from '../../rows/spend-owner.ts';
import type { Database } from '../database/database.ts';
import { RequestRows } from '../database/request-rows.ts';
import type { Sql } from '../database/sql.ts';
import { Leftovers, writeNote } from './spend-leftovers.ts';
import { changeKept, correctRows, growFound, readCorrections, tellShare } from './spend-notes.ts';
import { changeReserved, dropOwnReserved, dropReserved, putReserved, readReserved } from './spend-reservations.ts';
import { addToRows, beginCorrected, beginRow, listScope, readAccount } from './spend-rows.ts';
import { type SpendTurn, spendTurn } from './spend-turn.ts';

export interface ServerSpendBookOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The process that what is set aside belongs to; this one when absent. */
  readonly identity?: () => ProcessIdentity;
}

/** Opens the totals that all machines of a home share. */
export function openServerSpendBook({ database: db, clock, identity }: ServerSpendBookOptions): SpendBook {
  const turn = spendTurn(db);
  const counting = new Counting(db, turn, { clock, owner: createSpendOwner(identity) });
  const { requests, leftovers } = counting;
  return {
    begin: (key, totals) => turn((tx) => beginCorrected(tx, key, { totals, now: clock.now() })),
    add: (keys, amounts, also = {}) => turn((tx) => counting.addOnce(tx, keys, { amounts, also })),
    addFound: (found) => turn((tx) => counting.addFound(tx, found)),
    recorded: (note) => leftovers.recorded(note),
    settleDead: () => leftovers.settleDead(),
    reserve: (request, allows) => counting.reserve(request, allows),
    release: async (reservation) => turn((tx) => dropReserved(tx, reservation)),
    async read(account, withReserved = false) {
      const spent = await readAccount(db, account);
      return withReserved ? besideReserved(spent, await readReserved(db)) : spent;
    },
    step: (step, allows) => turn((tx) => counting.step(tx, step, allows)),
    stepTogether: (together, allows) => counting.stepTogether(together, allows),
    tell: (share) => turn((tx) => tellShare(tx, share, clock.now())),
    correct: (keys, correction, also = {}) => turn((tx) => counting.correct(tx, keys, { correction, also })),
    corrections: () => readCorrections(db),
    list: async (scope) => besideReserved(await listScope(db, scope), await readReserved(db)),
    keep: (kept) => turn((tx) => changeKept(tx, kept, clock.now())),
    request: (key) => requests.find(db, key),
    async dropRequestsBefore(at) {
      while (await turn((tx) => requests.dropBefore(tx, at)));
    },
    dropBefore: (at) => turn((tx) => dropBefore(tx, at)),
    [Symbol.dispose]: () => counting.close(),
  };
}

/** What adds to the totals: each in one transaction of all machines. */
class Counting {
  readonly requests: RequestRows;
  readonly leftovers: Leftovers;
  readonly #db: Database;
  readonly #turn: SpendTurn;
  readonly #parts: { readonly clock: Clock; readonly owner: SpendOwner };
  #hasReserved = false;

  constructor(db: Database, turn: SpendTurn, parts: { readonly clock: Clock; readonly owner: SpendOwner }) {
    this.#db = db;
    this.#turn = turn;
    this.#parts = parts;
    this.requests = new RequestRows('live', parts.clock);
    this.leftovers = new Leftovers(db, turn, parts);
  }

  async addOnce(tx: Sql, keys: readonly SpendKey[], { amounts, also }: Adding): Promise<AddedSpend> {
    let isRepeat = true;
    const note = await this.requests.once(tx, also.once, async () => {
      isRepeat = false;
      if (also.keep !== undefined) await changeKept(tx, also.keep, this.#now());
      return this.#add(tx, keys, { amounts, also });
    });
    return { note, isRepeat };
  }

  async addFound(tx: Sql, found: FoundSpend): Promise<FoundCounted | undefined> {
    const grown = await growFound(tx, found, this.#now());
    if (grown === undefined) return undefined;
    const { sessionId, keys, countOf, settled, aheadOf } = found;
    const { amounts, usage } = countOf(grown);
    const also = { settled, ahead: aheadOf?.(amounts), report: { sessionId, usage } };
    return { amounts, usage, note: await this.#add(tx, keys, { amounts, also }) };
  }

  async step(tx: Sql, { account, wallMs }: SpendStep, allows: Allows): Promise<boolean> {
    if (!allows(await readAccount(tx, account))) return false;
    await this.#count(tx, { account, wallMs });
    return true;
  }

  async reserve(request: ReserveRequest, allows: Allows): Promise<Reservation | undefined> {
    const reserved = await this.#turn((tx) => this.#reserveIn(tx, request, allows));
    // Before anybody is refused for what others have set aside: are they still there?
    if (reserved !== undefined || !(await this.leftovers.takeBackDead())) return reserved;
    return this.#turn((tx) => this.#reserveIn(tx, request, allows));
  }

  async stepTogether<T>({ once, ...wanted }: StepTogether<T>, allows: Allows): Promise<T> {
    // Asked before the step and not in it: whether processes live takes longer than everything in it.
    if ('amounts' in wanted.step) await this.leftovers.takeBackDead();
    return this.#turn((tx) =>
      this.requests.once(tx, once, async () => {
        if (wanted.keep !== undefined) await changeKept(tx, wanted.keep, this.#now());
        return wanted.answer(await this.#take(tx, wanted.step, allows));
      }),
    );
  }

  async correct(tx: Sql, keys: readonly SpendKey[], { correction, also }: Correcting): Promise<boolean> {
    const { once, known } = also;
    if (once !== undefined && (await this.requests.find(tx, once.key)) !== undefined) return true;
    if (known !== undefined) await beginCorrected(tx, known.key, { totals: known.totals, now: this.#now() });
    const isDone = await correctRows(tx, keys, { correction, now: this.#now() });
    // What was refused may be asked for again.
    if (isDone && once !== undefined) await this.requests.put(tx, once, { state: 'noted', result: 'null' });
    return isDone;
  }

  close(): void {
    if (this.#hasReserved) this.#db.inBackground(this.#turn((tx) => dropOwnReserved(tx, this.#parts.owner)));
  }

  async #add(tx: Sql, keys: readonly SpendKey[], { amounts, also }: Adding): Promise<UsageNote | undefined> {
    const { settled, ahead, report } = also;
    if (settled !== undefined && ahead === undefined) await dropReserved(tx, settled);
    if (settled !== undefined && ahead !== undefined)
      await changeReserved(tx, settled, { keys, ahead, now: this.#now() });
    await addToRows(tx, keys, { amounts, now: this.#now() });
    return report && writeNote(tx, report, this.#parts);
  }

  async #reserveIn(tx: Sql, request: ReserveRequest, allows: Allows): Promise<Reservation | undefined> {
    const { account, stepMs, instead } = request;
    const spent = await readAccount(tx, account);
    const all = await readReserved(tx);
    if (!allows(besideReserved(spent, all, instead))) return undefined;
    if (stepMs !== undefined) await this.#count(tx, { account, wallMs: stepMs });
    this.#hasReserved = true;
    return putReserved(tx, request, { ...this.#parts, all });
  }

  async #take(tx: Sql, step: SpendStep | ReserveRequest, allows: Allows): Promise<Reservation | boolean> {
    return 'amounts' in step ? ((await this.#reserveIn(tx, step, allows)) ?? false) : this.step(tx, step, allows);
  }

  async #count(tx: Sql, { account, wallMs }: SpendStep): Promise<void> {
    // A row that is not there was forgotten after a long time, or never begun.
    await beginRow(tx, account.session, { amounts: {}, now: this.#now() });
    await addToRows(tx, [account.session], { amounts: { iterations: 1, wallMs }, now: this.#now() });
  }

  #now(): EpochMs {
    return this.#parts.clock.now();
  }
}

interface Adding {
  readonly amounts: Amounts;
  readonly also: AddedWith;
}

interface Correcting {
  readonly correction: NewCorrection;
  readonly also: CorrectedWith;
}

async function dropBefore(tx: Sql, at: EpochMs): Promise<void> {
  // Where nothing newer was counted, nobody was here for long, or the clock is wrong and would take the budget of today with it.
  await tx.run(
    `DELETE FROM coppice.spend WHERE space = :space AND updated_at < ? AND (scope = 'session' OR EXISTS
       (SELECT 1 FROM coppice.spend s WHERE s.space = :space AND s.scope <> 'session' AND s.updated_at >= ?))`,
    at,
    at,
  );
  await tx.run('DELETE FROM coppice.kept WHERE space = :space AND updated_at < ?', at);
  await tx.run('DELETE FROM coppice.told WHERE space = :space AND told_at < ?', at);
  await tx.run('DELETE FROM coppice.found WHERE space = :space AND found_at < ?', at);
}
