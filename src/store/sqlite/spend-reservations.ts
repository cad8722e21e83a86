import type { Database } from 'better-sqlite3';
import type { Reservation, Reserved, ReserveRequest, Scope, Spend } from '../../core/gateway.ts';
import type { ProcessIdentity } from '../../core/session-store.ts';
import { type Clock, HOUR_MS } from '../../core/time.ts';
import { currentProcess, processState } from '../../platform/process-identity.ts';

/** Nobody can look whether a process of another machine lives. No call to a model lasts longer than this. */
const UNKNOWN_OWNER_MS = HOUR_MS;

const NOTHING: Reserved = { tokens: 0, nanoUsd: 0 };

/** What calls under way have set aside, of all processes. Not a sum in each row but one row for each call: a dead one is taken out. */
export function createReservations(db: Database, clock: Clock) {
  const columns = 'session, source, model, period, tokens, nano_usd, owner, reserved_at';
  const insert = db.prepare(`INSERT INTO reserved (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const replace = db.prepare(`UPDATE reserved SET model = ?, period = ?, tokens = ?, nano_usd = ?, reserved_at = ?
    WHERE id = ?`);
  const remove = db.prepare('DELETE FROM reserved WHERE id = ?');
  const removeOwner = db.prepare('DELETE FROM reserved WHERE owner = ? AND reserved_at <= ?');
  const owners = db.prepare<[string], [string, number]>(
    'SELECT owner, max(reserved_at) FROM reserved WHERE owner <> ? GROUP BY owner',
  );
  const rows = db.prepare<[number], ReservedRow>(
    'SELECT session, source, model, period, tokens, nano_usd FROM reserved WHERE id <> ?',
  );
  let known: string | undefined;
  const owner = (): string => (known ??= JSON.stringify(currentProcess()));

  return {
    /** The totals with what others than the one who asks have set aside of each. */
    beside(spent: readonly Spend[], asking?: Pick<ReserveRequest, 'instead'>): readonly Spend[] {
      const others = rows.raw().all(asking?.instead?.id ?? 0) as readonly ReservedRow[];
      if (others.length === 0) return spent;
      return spent.map((spend) => ({ ...spend, reserved: reservedOf(others, spend) }));
    },
    put({ account, shared, amounts, instead }: ReserveRequest): Reservation {
      const { source, model, period } = namesIn(shared);
      const { tokens, nanoUsd } = amounts;
      const now = clock.now();
      if (instead !== undefined) {
        const { changes } = replace.run(model, period, tokens, nanoUsd, now, instead.id);
        if (changes > 0) return instead;
      }
      const done = insert.run(account.session.key, source, model, period, tokens, nanoUsd, owner(), now);
      return { id: Number(done.lastInsertRowid) };
    },
    drop({ id }: Reservation): void {
      remove.run(id);
    },
    dropOwn(): void {
      if (known !== undefined) removeOwner.run(known, Number.MAX_SAFE_INTEGER);
    },
    /** Takes back what dead processes had set aside. Whether there was any. */
    takeBackDead(): boolean {
      let count = 0;
      for (const [text, newestAt] of owners.raw().all(owner()) as readonly (readonly [string, number])[]) {
        const state = processState(JSON.parse(text) as ProcessIdentity);
        const forgotten = state === 'unknown' && clock.now() - newestAt > UNKNOWN_OWNER_MS;
        // Only what was there when it was asked: a number that another process was given meanwhile has a row of its own.
        if (state === 'dead' || forgotten) count += removeOwner.run(text, newestAt).changes;
      }
      return count > 0;
    },
  };
}

type ReservedRow = readonly [
  session: string,
  source: string,
  model: string,
  period: string,
  tokens: number,
  nanoUsd: number,
];

function reservedOf(others: readonly ReservedRow[], { scope, key, period }: Spend): Reserved {
  return others
    .filter((row) => (scope === 'session' || row[3] === period) && IS_OF[scope](row, key))
    .reduce((sum, [, , , , tokens, nanoUsd]) => {
      return { tokens: sum.tokens + tokens, nanoUsd: sum.nanoUsd + nanoUsd };
    }, NOTHING);
}

const IS_OF: Readonly<Record<Scope, (row: ReservedRow, key: string) => boolean>> = {
  session: ([session], key) => session === key,
  source: ([, source], key) => source === key,
  model: ([, , model], key) => model === key,
  day: () => true,
};

function namesIn(shared: ReserveRequest['shared']): { source: string; model: string; period: string } {
  const keyOf = (scope: Scope) => shared.find((row) => row.scope === scope)?.key ?? '';
  return { source: keyOf('source'), model: keyOf('model'), period: shared[0]?.period ?? '' };
}
