import type { Database, Statement } from 'better-sqlite3';
import type { Amounts, Scope, Spend, SpendKey } from '../../../core/gateway/gateway.ts';
import { ofEachSpent, SPENT_COUNTERS } from '../../../core/gateway/limits.ts';
import type {
  AddedWith,
  Allows,
  Reservation,
  ReserveRequest,
  SpendAccount,
  SpendBook,
  SpendStep,
  StepTogether,
  UsageNote,
} from '../../../core/gateway/spend-book.ts';
import type { ProcessIdentity } from '../../../core/sessions/lease-holder.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import { withBook } from '../database/sqlite-errors.ts';
import { type Prepares, RequestRows } from '../database/request-rows.ts';
import { foundAdder } from './spend-found.ts';
import { createLeftovers } from './spend-leftovers.ts';
import { createSpendNotes } from './spend-notes.ts';
import { createSpendOwner, type SpendOwner } from '../../rows/spend-owner.ts';
import { createReservations } from './spend-reservations.ts';
import { createSpendRows, WHERE } from './spend-rows.ts';
import { COLUMN_LIST, COLUMNS, openSpendDatabase, openSpendToLook } from './spend-schema.ts';
import { createTogether, keeper } from './spend-together.ts';

/** How long a call blocks while others write. Each of them takes microseconds, so waiting longer means that one hangs. */
const BUSY_WAIT_MS = 5000;
const REMEDY =
  'It holds only the running totals of budgets. Stop the agents of this home and move the file away; a new one is made.';

/**
 * Opens the totals that all processes of a home share: a small database of its own, so that counting never waits for the
 * session store. Its commits survive the death of any process, but a power cut may take the newest back.
 */
export function openSpendBook({ path, clock, identity, onlyRead = false }: SpendBookOptions): SpendBook {
  const open = onlyRead ? openSpendToLook : openSpendDatabase;
  const db = said(path, () => open(path, BUSY_WAIT_MS));
  const counting = createCounting(db, { clock, owner: createSpendOwner(identity) });
  const { looks, reservations, leftovers } = counting;
  const keep = keeper(db, clock);
  const notes = createSpendNotes(db, clock);
  const addFound = foundAdder(db, { clock, add: counting.add });
  const requests = new RequestRows(preparing(db), clock);
  const together = createTogether(db, { counting, keep, notes, requests });
  const dropBefore = db.transaction((at: EpochMs) => {
    // Where nothing newer was counted, nobody was here for long, or the clock is wrong and would take the budget of today with it.
    db.prepare(`DELETE FROM spend WHERE updated_at < ? AND (scope = 'session'
      OR EXISTS (SELECT 1 FROM spend WHERE scope <> 'session' AND updated_at >= ?))`).run(at, at);
    db.prepare('DELETE FROM kept WHERE updated_at < ?').run(at);
    db.prepare('DELETE FROM told WHERE told_at < ?').run(at);
    db.prepare('DELETE FROM found WHERE found_at < ?').run(at);
  });

  return {
    begin: async (key, totals) => said(path, () => counting.rows.beginCorrected(key, totals)),
    add: async (keys, amounts, also = {}) => said(path, () => together.add(keys, amounts, also)),
    addFound: async (found) => said(path, () => addFound(found)),
    recorded: async (note) => said(path, () => leftovers.recorded(note)),
    settleDead: async () => said(path, () => leftovers.settleDead()),
    reserve: async (request, allows) => said(path, () => counting.reserve(request, allows)),
    release: async (reservation) => said(path, () => reservations.drop(reservation)),
    read: async (account, withReserved = false) =>
      said(path, () => {
        const { spent } = looks.take(account);
        return withReserved ? reservations.beside(spent, reservations.all()) : spent;
      }),
    step: async (wanted, allows) => said(path, () => counting.step(wanted, allows)),
    stepTogether: async <T>(wanted: StepTogether<T>, allows: Allows) => said(path, () => together.step(wanted, allows)),
    tell: async (share) => said(path, () => notes.tell(share)),
    correct: async (keys, correction, also = {}) => said(path, () => together.correct(keys, correction, also)),
    corrections: async () => said(path, () => notes.corrections()),
    list: async (scope) => said(path, () => reservations.beside(listRows(db, scope), reservations.all())),
    keep: async (kept) => said(path, () => keep(kept)),
    request: async (key) => said(path, () => requests.find(key)),
    dropRequestsBefore: async (at) => {
      while (requests.isOlder(at)) said(path, () => requests.dropBefore(at));
    },
    dropBefore: async (at) => said(path, () => dropBefore.immediate(at)),
    [Symbol.dispose]: () => {
      reservations.dropOwn();
      db.close();
    },
  };
}

export interface SpendBookOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Nothing can be written where it is: the totals are only looked at. */
  readonly onlyRead?: boolean | undefined;
  /** The process that what is set aside belongs to; this one when absent. */
  readonly identity?: (() => ProcessIdentity) | undefined;
}

/** Each statement is prepared once, when it is first needed. */
function preparing(db: Database): Prepares {
  const known = new Map<string, Statement>();
  return {
    sql<Params extends unknown[], Row>(text: string) {
      const statement = known.get(text) ?? db.prepare(text);
      known.set(text, statement);
      return statement as Statement<Params, Row>;
    },
  };
}

/** What adds to the totals: each in one transaction of all processes. */
function createCounting(db: Database, { clock, owner }: { readonly clock: Clock; readonly owner: SpendOwner }) {
  const rows = createSpendRows(db, clock);
  const looks = rememberLooks(db);
  const countAfter = stepCounter(db, { looks, clock });
  const reservations = createReservations(db, { clock, owner });
  const leftovers = createLeftovers(db, { clock, owner, reservations, count: rows.add });
  /** Inside a transaction. */
  const add = (keys: readonly SpendKey[], amounts: Amounts, also: AddedWith = {}): UsageNote | undefined => {
    const { settled, ahead, report } = also;
    if (settled !== undefined && ahead === undefined) reservations.drop(settled);
    if (settled !== undefined && ahead !== undefined) reservations.change(settled, keys, ahead);
    rows.add(keys, amounts);
    return report && leftovers.note(report);
  };
  const count = (step: SpendStep, look: Look): boolean => {
    if (countAfter(step, look)) return true;
    // It has no row: forgotten after a long time, or never begun.
    rows.begin(step.account.session, {});
    return countAfter(step, looks.take(step.account));
  };
  const lookAndCount = db.transaction((step: SpendStep, allows: Allows) => {
    const look = looks.take(step.account);
    return allows(look.spent) && count(step, look);
  });
  const lookAndReserve = db.transaction((request: ReserveRequest, allows: Allows) => {
    const { account, stepMs, instead } = request;
    const look = looks.take(account);
    const reserved = reservations.all();
    if (!allows(reservations.beside(look.spent, reserved, instead))) return undefined;
    if (stepMs !== undefined) count({ account, wallMs: stepMs }, look);
    return reservations.put(request, reserved);
  });

  return {
    looks,
    rows,
    reservations,
    leftovers,
    add,
    step(step: SpendStep, allows: Allows): boolean {
      const last = looks.last(step.account);
      const counted = last !== undefined && allows(last.spent) && countAfter(step, last);
      return counted || lookAndCount.immediate(step, allows);
    },
    reserve(request: ReserveRequest, allows: Allows): Reservation | undefined {
      const reserved = lookAndReserve.immediate(request, allows);
      // Before anybody is refused for what others have set aside: are they still there?
      if (reserved !== undefined || !leftovers.takeBackDead()) return reserved;
      return lookAndReserve.immediate(request, allows);
    },
    /** Inside a transaction. */
    take(step: SpendStep | ReserveRequest, allows: Allows): Reservation | boolean {
      return 'amounts' in step ? (this.reserve(step, allows) ?? false) : lookAndCount(step, allows);
    },
  };
}

/** One statement compares and counts. It does nothing when the totals are no longer those that were seen. */
function stepCounter(db: Database, { looks, clock }: { looks: ReturnType<typeof rememberLooks>; clock: Clock }) {
  const count = db.prepare(COUNT);
  return ({ account, wallMs }: SpendStep, { changes, id, spent }: Look): boolean => {
    const [{ scope, key, period, used }, ...others] = spent;
    const after = { ...used, iterations: used.iterations + 1, wallMs: used.wallMs + wallMs };
    const seen = SPENT_COUNTERS.map((counter) => used[counter]);
    const done = count.run(clock.now(), after.iterations, after.wallMs, id, ...seen, changes);
    if (done.changes === 0) return false;
    looks.keep(account, { changes, id, spent: [{ scope, key, period, used: after }, ...others] });
    return true;
  };
}

/** What decides on a step: the totals of a session, and how often those of several sessions have changed. */
const LOOK = `SELECT number, id, ${COLUMNS} FROM changes LEFT JOIN spend ON scope = ? AND key = ? AND period = ?`;
/** Counts a step where all of that is as it was. */
const COUNT = `UPDATE spend SET updated_at = ?, iterations = ?, wall_ms = ?
  WHERE id = ? AND ${COLUMN_LIST.map((name) => `${name} = ?`).join(' AND ')} AND (SELECT number FROM changes) = ?`;

/** The totals of an account at one moment. */
interface Look {
  readonly changes: number;
  /** Of the session's row; 0 when it has none. */
  readonly id: number;
  /** The session's first. */
  readonly spent: readonly [Spend, ...Spend[]];
}

/**
 * Remembers the last look at each account. A step is judged by it and counted only where it still holds, so it costs one
 * statement; and the totals of several sessions are read again only after somebody has added to one.
 */
function rememberLooks(db: Database) {
  const look = db.prepare<[string, string, string], [number, ...(number | null)[]]>(LOOK).raw();
  const select = db.prepare<[string, string, string], number[]>(`SELECT ${COLUMNS} FROM spend ${WHERE}`).raw();
  const known = new WeakMap<SpendAccount, Look>();
  const readOthers = ({ limited }: SpendAccount) => {
    return limited.map((row) => spendOf(row, select.get(row.scope, row.key, row.period) ?? []));
  };
  return {
    last: (account: SpendAccount) => known.get(account),
    keep: (account: SpendAccount, seen: Look) => void known.set(account, seen),
    /** The number is read first: whatever changes after that shows when the step is counted. */
    take(account: SpendAccount): Look {
      const { session } = account;
      const [changes = 0, id, ...values] = look.get(session.scope, session.key, session.period) ?? [];
      const last = known.get(account);
      const others = last?.changes === changes ? last.spent.slice(1) : readOthers(account);
      const seen: Look = { changes, id: id ?? 0, spent: [spendOf(session, values), ...others] };
      known.set(account, seen);
      return seen;
    },
  };
}

function listRows(db: Database, scope: Scope): readonly Spend[] {
  return db
    .prepare<[Scope], [string, string, ...number[]]>(
      `SELECT key, period, ${COLUMNS} FROM spend WHERE scope = ? ORDER BY period DESC, key`,
    )
    .raw()
    .all(scope)
    .map(([key, period, ...values]) => spendOf({ scope, key, period }, values));
}

/** Without a row its columns are null, or there are none. */
function spendOf({ scope, key, period }: SpendKey, values: readonly (number | null)[]): Spend {
  return { scope, key, period, used: ofEachSpent((_, index) => values[index] ?? 0) };
}

function said<T>(path: string, work: () => T): T {
  return withBook({ path, waitsMs: BUSY_WAIT_MS, remedy: REMEDY }, work);
}
