import type { Database } from 'better-sqlite3';
import { totalTokens } from '../../../core/sessions/session.ts';
import {
  NO_PROJECT,
  type UsageAmount,
  type UsageRange,
  type UsageGroup,
  type UsageSums,
  type UsageTotal,
} from '../../../core/stores/usage-book.ts';
import { NANO } from '../../rows/session-rows.ts';
import { namedTokens } from './token-counts.ts';
import { TOKEN_COLUMNS } from './usage-schema.ts';

/** Weeks are those of ISO 8601: they begin on Mondays and belong to the year of their Thursday. */
const KEYS: Readonly<Record<UsageGroup, string>> = {
  day: 'day',
  week: `strftime('%G-W%V', day)`,
  month: 'substr(day, 1, 7)',
  model: 'models.name',
  project: `coalesce(project, '${NO_PROJECT}')`,
  agent: 'agent',
  session: 'sessions.id',
};

const BY_TIME: ReadonlySet<UsageGroup> = new Set(['day', 'week', 'month']);

const SUMS = [...TOKEN_COLUMNS, 'nano_usd', 'unpriced'].map((column) => `coalesce(sum(${column}), 0)`).join();
const USED = `(${[...TOKEN_COLUMNS, 'nano_usd'].map((column) => `${column} <> 0`).join(' OR ')})`;
const FROM = `FROM spent JOIN sessions ON sessions.key = spent.session JOIN models ON models.key = spent.model
  WHERE day >= @from AND day < @before AND ${USED}
  AND (@place IS NULL OR spent.session IN (SELECT session FROM seen WHERE place = @place))`;
/** Every day comes before it. */
const NEVER = 'z';

type SumRow = readonly [sessions: number, ...sums: number[]];
type TotalRow = readonly [key: string, agent: string, sessions: number, ...sums: number[]];

interface Range {
  readonly from: string;
  readonly before: string;
  readonly place: string | null;
}

/** Adds up what was spent. */
export function usageTotals(db: Database, by: UsageGroup, { from = '', before = NEVER, place }: UsageRange): UsageSums {
  const range = { from, before, place: place ?? null };
  const key = KEYS[by];
  const whose = by === 'session' ? 'agent' : `''`;
  const totals = db
    .prepare<[Range], TotalRow>(
      `SELECT ${key} AS total_key, ${whose} AS whose, count(DISTINCT session), ${SUMS} ${FROM} GROUP BY total_key, whose`,
    )
    .raw()
    .all(range)
    .map(([name, agent, ...sums]) => ({ key: name, ...(agent !== '' && { agent }), ...amountOf(sums) }));
  const total = db.prepare<[Range], SumRow>(`SELECT count(DISTINCT session), ${SUMS} ${FROM}`).raw();
  const unpriced = db.prepare<[Range], { readonly model: string; readonly tokens: number }>(
    `SELECT models.name AS model, sum(unpriced) AS tokens ${FROM} AND unpriced > 0 GROUP BY model ORDER BY tokens DESC, model`,
  );
  return {
    totals: totals.toSorted(BY_TIME.has(by) ? newestFirst : dearestFirst),
    total: amountOf(total.get(range) ?? []),
    unpricedModels: unpriced.all(range),
  };
}

function amountOf([sessions = 0, ...sums]: readonly number[]): UsageAmount {
  const [nanoUsd = 0, unpricedTokens = 0] = sums.slice(TOKEN_COLUMNS.length);
  return { sessions, usage: { ...namedTokens(sums), costUsd: nanoUsd / NANO }, unpricedTokens };
}

function newestFirst(a: UsageTotal, b: UsageTotal): number {
  return a.key < b.key ? 1 : -1;
}

function dearestFirst(a: UsageTotal, b: UsageTotal): number {
  const byTokens = totalTokens(b.usage) - totalTokens(a.usage);
  return b.usage.costUsd - a.usage.costUsd || byTokens || (a.key < b.key ? -1 : 1);
}
